// Lines as the loggers write them, for the tests of what is known by them.

export const klog = (severity: 'E' | 'F' | 'I' | 'W', source: string, message: string): string =>
  `${severity}1115 02:41:07.123456    4242 ${source}] ${message}`

/** What shawl 1.3 logs of its program's stderr: in Rust's quotes. */
export const shawl = (line: string): string => `2026-11-15 02:41:07 [DEBUG] stderr: ${JSON.stringify(line)}`
export const shawlSays = (level: 'ERROR' | 'INFO', message: string): string =>
  `2026-11-15 02:41:07 [${level}] ${message}`

/** klog's ErrorS: Go's %q. */
export const errorS = (source: string, message: string, err: string): string =>
  klog('E', source, `${JSON.stringify(message)} err=${JSON.stringify(err)}`)

export const logrus = (message: string): string =>
  `time="2026-11-15T02:41:07.1234567Z" level=error msg=${JSON.stringify(message)}`

export const flannelEnds = (said: string): string =>
  shawl(klog('E', 'main.go:332', `Error registering network: ${said}`))
export const flannelBegins = (said: string): string =>
  shawl(klog('E', 'main.go:231', `Failed to create SubnetManager: ${said}`))
export const flannelSays = (severity: 'E' | 'I' | 'W', source: string, said: string): string =>
  shawl(klog(severity, source, said))

/** hcsshim: the call, Windows' words in the system's language, the code, and since 0.8.10 the whole answer. */
export const hcn = (call: string, words: string, code: number): string =>
  `${call} failed in Win32: ${words} (0x${code.toString(16)})`

export const sandbox = (said: string): string =>
  errorS(
    'remote_runtime.go:116',
    'RunPodSandbox from runtime service failed',
    `rpc error: code = Unknown desc = ${said}`,
  )

/** component-base/cli/run.go: how kubelet and kube-proxy from 1.24 on say why they end. */
export const commandFailed = (err: string): string => errorS('run.go:72', 'command failed', err)
