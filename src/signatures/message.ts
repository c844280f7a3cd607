// What a line says, without what the logger puts before it.

/** A line may be a whole document; what it is recognised by stands at its beginning. */
const LONGEST = 4096

/** shawl 1.3 logs what its program writes in Rust's quotes. */
const SHAWL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[[A-Z]{4,5}\] (?:std(?:err|out): "(.*)$)?/
const KLOG = /^[DEFIW]\d{4} \d\d:\d\d:\d\d\.\d{6} {1,8}\d{1,7} [\w.-]{1,80}:\d{1,6}\] /
/** dockerd writes logrus' fields: time="..." level=error msg="..." */
const LOGRUS = /^time="[^"]{1,40}" level=[a-z]{4,7} msg="/

/** shawl starts its program again, and each line of klog has the number of its process. */
const LAUNCHED = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[INFO\] Launching command/
const PROCESS = /^(?:[^"]{1,60}")?[DEFIW]\d{4} \d\d:\d\d:\d\d\.\d{6} {1,8}(\d{1,7}) /

const ENDED = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[INFO\] Command exited /

/** A process of the daemon begins with this line. */
export const isLaunch = (line: string): boolean => LAUNCHED.test(line)

/** shawl says that a process of the daemon has ended. */
export const isEnd = (line: string): boolean => ENDED.test(line)

/** Whose line it is; undefined where it does not say. */
export const processOf = (line: string): string | undefined => PROCESS.exec(line)?.[1]

export function messageOf(line: string): string {
  let text = line.slice(0, LONGEST).trim()
  const shawl = SHAWL.exec(text)
  if (shawl) text = shawl[1] === undefined ? text.slice(shawl[0].length) : unquoted(shawl[1].replace(/"$/, ''))
  if (LOGRUS.test(text)) text = unquoted(text.replace(LOGRUS, '').replace(/"$/, ''))
  return text.replace(KLOG, '')
}

const unquoted = (text: string): string => text.replaceAll(/\\(["\\])/g, '$1')
