// What `run --print` prints.

/** `run --print`: --output json and ndjson. */
export interface ForegroundDocument {
  readonly args: readonly string[]
  /** Lines to paste into cmd. */
  readonly cmd: readonly string[]
  readonly command: 'run'
  readonly daemon: 'containerd' | 'flanneld' | 'kube-proxy' | 'kubelet'
  /** Beside that of the machine. */
  readonly environment: Readonly<Record<string, string>>
  /** Lines to paste into PowerShell. */
  readonly powershell: readonly string[]
  readonly program: string
  readonly schemaVersion: 1
  readonly simulated: boolean
}

export const foregroundLines = ({cmd, daemon, powershell}: ForegroundDocument): string[] => [
  `${daemon} in the foreground. In a console it runs as its user; the service runs as SYSTEM.`,
  'Stop the service before, and start it afterwards; "k8s-win run" does both.',
  '',
  'cmd:',
  ...cmd,
  '',
  'PowerShell:',
  ...powershell,
]
