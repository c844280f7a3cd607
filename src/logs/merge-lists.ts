// Several lists of entries as one in the order of time; each keeps its own.
import type {LogEntry} from './entry.js'

export function mergeLists(lists: readonly (readonly LogEntry[])[]): LogEntry[] {
  const open = lists.filter((list) => list.length > 0).map((list) => ({at: 0, list}))
  const merged: LogEntry[] = []
  const time = ({at, list}: (typeof open)[number]): number => list[at]?.time ?? Infinity
  while (open.length > 0) {
    const first = open.reduce((best, one) => (time(one) < time(best) ? one : best))
    merged.push(first.list[first.at++] as LogEntry)
    if (first.at === first.list.length) open.splice(open.indexOf(first), 1)
  }
  return merged
}
