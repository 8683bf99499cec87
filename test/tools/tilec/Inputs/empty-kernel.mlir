llvm.func @nothing() attributes {nvvm.kernel} {
  llvm.return
}
