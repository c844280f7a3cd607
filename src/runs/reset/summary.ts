// What reset will do, short enough for a question on a screen of 24 rows: what matters most first.
import {win32} from 'node:path'
import {isWithin} from '../../config/base-dir.js'
import {IF_EMPTY, WITH_CONTENT} from '../../pipeline/desired/files/remove-path.js'
import {shortList} from '../../pipeline/short-list.js'

interface Group {
  /** The lines of a plan that it replaces. */
  readonly line: RegExp
  /** One line for what the pattern has found in them. */
  readonly said: (found: readonly string[]) => readonly string[] | string
}

/** A line belongs to the first that it matches. */
const GROUPS: readonly Group[] = [
  {
    line: /^remove \d+ containers? of pods, of which \d+ (?:is|are) running: (.*)$/,
    said: ([pods = '']) => `end the pods that run on this node: ${shortList(pods.split(', '))}`,
  },
  {line: /^(?:end what k8s-win did not create: |if containerd cannot be used, ).*$/, said: (lines) => lines},
  {line: /^evict the pod (.*)$/, said: (pods) => `evict the pods ${shortList(pods)}`},
  {
    line: /^remove the HNS network (.*)$/,
    said: (names) => `interrupt the network of this host for some seconds: remove the HNS network ${names.join(', ')}`,
  },
  {line: /^(remove the node .*)$/, said: (lines) => lines},
  {
    line: new RegExp(`^remove (.*)${WITH_CONTENT}$`),
    said: (paths) => `remove with everything in them: ${outermost(paths).join(', ')}`,
  },
  {line: /^remove the service (.*)$/, said: (names) => `remove the services ${names.join(', ')}`},
  {line: /^remove the image (.*)$/, said: (names) => `remove ${names.length} images: ${shortList(names, 2)}`},
  {line: /^remove the tag (.*)$/, said: (names) => `remove ${names.length} tags of images: ${shortList(names, 2)}`},
  {line: /^remove the firewall rule "(.*)"$/, said: (names) => `remove ${names.length} firewall rules`},
  {line: /^(remove .* from PATH|(?!remove [a-z]:|restore the access list of ).*)$/i, said: (lines) => lines.join('; ')},
  {
    line: new RegExp(`^remove (.*)${IF_EMPTY}$`),
    said: (paths) => `remove only if empty: ${shortList(paths.toSorted(), 3)}`,
  },
  {line: /^remove (.*)$/, said: (paths) => `remove ${paths.length} files from ${shortList(foldersOf(paths), 2)}`},
  {line: /^restore the access list of (.*)$/, said: (paths) => `restore the access lists of ${shortList(paths, 2)}`},
]

export function summarise(lines: readonly string[]): string[] {
  return GROUPS.flatMap((group) => {
    const own = lines.filter((line) => GROUPS.find((one) => one.line.test(line)) === group)
    return own.length === 0 ? [] : group.said(own.map((line) => group.line.exec(line)?.[1] ?? line))
  })
}

const outermost = (paths: readonly string[]): string[] =>
  paths.filter((path) => !paths.some((other) => other !== path && isWithin(path, other)))

const foldersOf = (paths: readonly string[]): string[] => [...new Set(paths.map((path) => win32.dirname(path)))]
