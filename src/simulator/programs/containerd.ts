// containerd.exe, run as a program (containerd cmd/containerd/command/main.go): it reports its version.
import type {ProgramOutput} from '../model.js'
import {isAtLeast} from '../versions.js'
import {guidOf} from '../windows/names.js'

export function runContainerd(version: string, args: readonly string[]): ProgramOutput {
  const isAsked = args.length === 1 && ['--version', '-v', '-version'].includes(args[0] ?? '')
  if (!isAsked) return {exitCode: 1, stderr: 'containerd cannot be run on a simulated host.\n'}
  const module = `github.com/containerd/containerd${isAtLeast(version, '2.0') ? '/v2' : ''}`
  return {exitCode: 0, stdout: `containerd ${module} ${version} ${guidOf(version).replaceAll('-', '').toLowerCase()}\n`}
}
