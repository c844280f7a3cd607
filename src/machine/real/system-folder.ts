// Where Windows keeps its own programs and libraries. They are named from here, never looked up in PATH.
import path from 'node:path'

export function systemFolder(environment: NodeJS.ProcessEnv): string {
  const root = environment['SystemRoot'] ?? environment['windir'] ?? 'C:\\Windows'
  return path.win32.join(root, 'System32')
}
