// The module that exe-bundle.ts writes for exe-plugin.ts.
declare module 'k8s-win:commands' {
  export const COMMANDS: Readonly<
    Record<string, () => Promise<{readonly default: import('@oclif/core').Command.Class}>>
  >
}
