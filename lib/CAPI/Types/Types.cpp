//===- Types.cpp - what both C interfaces are made with -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Types.h"

using namespace tilec;
using namespace tilec::capi;

//===-- Messages -------------------------------------------------------------//

tilec_status capi::statusOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::Failure:
    return TILEC_FAILURE;
  case ErrorKind::Mismatch:
    return TILEC_MISMATCH;
  case ErrorKind::Unavailable:
    return TILEC_UNAVAILABLE;
  case ErrorKind::Unsupported:
    return TILEC_UNSUPPORTED;
  case ErrorKind::OutOfMemory:
    return TILEC_OUT_OF_MEMORY;
  }
  return TILEC_FAILURE;
}

void Reporter::report(const tilec_diagnostic &diagnostic) const {
  if (sink && sink->report)
    sink->report(&diagnostic, sink->user);
}

void Reporter::send(tilec_severity severity, const char *message) const {
  tilec_diagnostic diagnostic = {severity, "", 0, 0, message, 0, nullptr};
  report(diagnostic);
}

tilec_status Reporter::fail(tilec_status status, const char *message) const {
  send(TILEC_ERROR, message);
  return status;
}

tilec_status Reporter::fail(const Error &error) const {
  return fail(statusOf(error.kind), error.message.c_str());
}

tilec_status Reporter::need(std::initializer_list<Needed> pointers) const {
  for (const Needed &needed : pointers)
    if (!needed.pointer)
      return misuse(
          ("the parameter '" + std::string(needed.parameter) + "' is null")
              .c_str());
  return TILEC_OK;
}

//===-- Types ----------------------------------------------------------------//

// The numbers in the header are those of the table.
#define TILEC_ELEMENT_TYPE(Enum, triton, short, bits, bytes, kind, npy)        \
  static_assert(TILEC_##Enum == static_cast<int>(ElementType::Enum));
#include "tilec/KernelInfo/ElementTypes.def"

/// The number of element types.
static constexpr uint32_t numElementTypes =
#define TILEC_ELEMENT_TYPE(Enum, triton, short, bits, bytes, kind, npy) +1
#include "tilec/KernelInfo/ElementTypes.def"
    ;

std::optional<ParamType> capi::toParamType(tilec_type type) {
  bool isPointer = type & TILEC_POINTER;
  uint32_t element = type & ~uint32_t(TILEC_POINTER);
  if (element >= numElementTypes)
    return std::nullopt;
  return ParamType{static_cast<ElementType>(element), isPointer, false};
}

tilec_type capi::fromParamType(ParamType type) {
  return static_cast<tilec_type>(type.element) |
         (type.isPointer ? TILEC_POINTER : 0);
}

//===-- Kernel information ---------------------------------------------------//

const char *KernelView::keep(std::string text) {
  return strings.emplace_back(std::move(text)).c_str();
}

void KernelView::addConstants(const std::vector<NamedConstant> &from,
                              std::vector<tilec_constant> &to) {
  for (const NamedConstant &constant : from)
    to.push_back({keep(constant.name), keep(constant.value.write())});
}

KernelView::KernelView(const KernelInfo &info) {
  for (const ParamInfo &param : info.params)
    params.push_back({keep(param.name), fromParamType(param.type),
                      param.type.isConst, param.align});
  addConstants(info.constants, constants);
  addConstants(info.folded, folded);
  for (const Requirement &requirement : info.requirements)
    requirements.push_back(keep(requirement.str()));
  for (const HiddenParamInfo &param : info.hidden) {
    json::Value object = json::Value::object();
    object.set("kind", param.kind);
    for (const json::Member &member : param.fields.members())
      object.set(member.name, member.value);
    hidden.push_back(keep(object.write()));
  }
  view.kernel = keep(info.kernel);
  view.entry = keep(info.entry);
  view.source = keep(info.source);
  view.num_params = params.size();
  view.params = params.data();
  view.num_constants = constants.size();
  view.constants = constants.data();
  view.num_folded = folded.size();
  view.folded = folded.data();
  view.num_requirements = requirements.size();
  view.requirements = requirements.data();
  view.num_hidden = hidden.size();
  view.hidden = hidden.data();
  view.num_warps = info.numWarps;
  view.num_stages = info.numStages;
  view.threads = info.threads;
  for (unsigned i = 0; i < 3; ++i)
    view.cluster[i] = info.cluster[i];
  view.dynamic_shared = info.dynamicShared;
}
