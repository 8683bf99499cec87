"""Where threads that took different ways meet again: immediate post-dominators of the branches.

The dominance algorithm is that of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed
graph of basic blocks.
"""


def is_branch(instruction):
    return instruction.name == "bra"


def is_exit(instruction):
    return instruction.name in ("ret", "exit")


def reconvergence(entry):
    """Number of the instruction where the ways of each predicated branch meet, by the number of the branch; the number
    of instructions where they meet only at the end."""
    code = entry.instructions
    if not any(is_branch(i) and i.predicate is not None for i in code):
        return {}
    end = len(code)
    targets = {n: entry.labels[i.operands[0].value] for n, i in enumerate(code) if is_branch(i)}
    starts = sorted({0, *targets.values(), *(n + 1 for n, i in enumerate(code) if is_branch(i) or is_exit(i))} | {end})
    starts = [s for s in starts if s <= end]
    block_at = {start: index for index, start in enumerate(starts)}
    last = len(starts) - 1  # the block behind the last instruction is the exit
    successors = []
    for index, start in enumerate(starts[:-1]):
        n = starts[index + 1] - 1
        instruction = code[n]
        to = set()
        if is_branch(instruction):
            to.add(block_at[targets[n]])
        if is_exit(instruction):
            to.add(last)
        if not (is_branch(instruction) or is_exit(instruction)) or instruction.predicate is not None:
            to.add(block_at[n + 1])
        successors.append(sorted(to))
    parents = post_dominators(successors, last)
    result = {}
    for n, instruction in enumerate(code):
        if is_branch(instruction) and instruction.predicate is not None:
            parent = parents.get(block_at[n + 1] - 1, last)
            result[n] = starts[parent]
    return result


def post_dominators(successors, last):
    """The immediate post-dominator of each block that reaches the exit."""
    predecessors = [[] for _ in range(last + 1)]
    for block, to in enumerate(successors):
        for successor in to:
            predecessors[successor].append(block)
    order, seen, stack = [], {last}, [(last, iter(predecessors[last]))]
    while stack:  # post-order of the reversed graph
        block, rest = stack[-1]
        for predecessor in rest:
            if predecessor not in seen:
                seen.add(predecessor)
                stack.append((predecessor, iter(predecessors[predecessor])))
                break
        else:
            order.append(block)
            stack.pop()
    rank = {block: n for n, block in enumerate(order)}
    parents = {last: last}

    def intersect(a, b):
        while a != b:
            while rank[a] < rank[b]:
                a = parents[a]
            while rank[b] < rank[a]:
                b = parents[b]
        return a

    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            new = None
            for successor in successors[block]:
                if successor in parents:
                    new = successor if new is None else intersect(successor, new)
            if parents.get(block) != new:
                parents[block] = new
                changed = True
    return parents
