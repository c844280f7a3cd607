// What the real shawl is asked for recordings: options it refuses, and services it runs.
export const SHAWL = 'C:\\lab\\shawl.exe'
const NODE = 'C:\\lab\\node22\\node.exe'

/** Before it speaks to the service manager. */
export const SHAWL_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'help-run': ['run', '--help'],
  'no-command': ['run'],
  'no-name': ['run', '--name'],
  'two-supervisors': ['run', '--restart', '--no-restart', '--', 'x.exe'],
  'unknown-flag': ['run', '--nonsense', '--', 'x.exe'],
  'unknown-flag-like-another': ['run', '--log-rotate', 'daily', '--', 'x.exe'],
  'unknown-subcommand': ['nonsense'],
  'unknown-version-flag': ['--version'],
  'wrong-code': ['run', '--pass', 'a', '--', 'x.exe'],
  'wrong-timeout': ['run', '--stop-timeout', 'soon', '--', 'x.exe'],
}

export interface ShawlService {
  readonly command: string
  readonly options: string
  /** Its log is there when it holds this. */
  readonly until: RegExp
}

const script = (text: string): string => `${NODE} -e "${text}"`
/** Each is started, waited for, stopped where it still runs, and asked for what it ended with. */
export const SHAWL_SERVICES: Readonly<Record<string, ShawlService>> = {
  'ended-with-0': {command: script('process.exit(0)'), options: '', until: /Finished/},
  'ended-with-3': {command: script('process.exit(3)'), options: '--no-restart', until: /Finished/},
  'ended-with-3-as-success': {
    command: script('process.exit(3)'),
    options: '--no-restart --pass 0,3',
    until: /Finished/,
  },
  'no-such-program': {command: 'C:\\nonsense.exe', options: '--restart', until: /Finished/},
  output: {
    command: script("console.log('one');console.error('two ü');setInterval(()=>{},1000)"),
    options: '--restart --stop-timeout 1000',
    until: /stderr: /,
  },
  restarted: {
    command: script('process.exit(1)'),
    options: '--restart',
    until: /exited with code 1[^]*exited with code 1/,
  },
  'restarted-by-default': {
    command: script('process.exit(2)'),
    options: '',
    until: /exited with code 2[^]*exited with code 2/,
  },
}
