// Texts of a run without what is never the same twice: times, durations, process numbers, identifiers Windows makes up.

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(?:[.-]\d+)?Z/g, '<time>'],
  [/ \(\d+(?:\.\d+)? ms\)$/g, ''],
  // The kubelet's certificates: kubelet-client-<time>.pem
  [/(kubelet-client)-\d{4}(?:-\d\d){5}/g, '$1-<time>'],
  // klog: <program>.<host>.<user>.log.<severity>.<time>.<pid>
  [/(\.log\.(?:INFO|WARNING|ERROR|FATAL))\.\d{8}-\d{6}\.\d+/g, '$1.<time>.<pid>'],
  // A line of klog: <severity><mmdd> <time> <pid>
  [/\b([IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+/g, '$1<time> <pid>'],
  [/\b[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}\b/gi, '<guid>'],
  [/\b(?:[0-9A-F]{2}[:-]){5}[0-9A-F]{2}\b/gi, '<mac>'],
  // Of disks and memory, which are those of the machine it runs on.
  [/\b\d+(?:\.\d+)? GB\b/g, '<amount>'],
  [/\bprocessStartedAt \["\d+"\]/g, 'processStartedAt ["<pid>"]'],
  // The end of a connection that Windows chooses.
  [/(\bpeerProcess \["\{\\"local\\":\{\\"address\\":\\"[\d.]+\\",\\"port\\":)\d+/g, '$1<port>'],
  [/\/containers\/[0-9a-f]{64}/g, '/containers/<id>'],
  // Who holds the lock; whether it is the right one is checked where the run is known.
  [/\b(held by|It was) process \d+.*, which began at .*$/g, '$1 <process>'],
  // Only a program knows how it was called, and what to add to the commands in its texts.
  [/(["'])k8s-win (\w+) --base-dir (?:"[^"]*"|[^"'\s]+)\1/g, '"k8s-win $2"'],
  [/\btaskkill \/T \/F \/PID \d+/g, 'taskkill /T /F /PID <process>'],
]

export function normal(text: string): string {
  return REPLACEMENTS.reduce((seen, [pattern, replacement]) => seen.replaceAll(pattern, replacement), text)
}
