// Bundled in place of wsl-utils, with which oclif starts a PowerShell through cmd.exe, twice per run, to learn the shell's
// name. Nothing here asks for that name, and k8s-win starts no PowerShell.

export const isWsl = false

/** oclif then takes %COMSPEC%. */
export function powerShellPath(): never {
  throw new Error('k8s-win starts no PowerShell')
}
