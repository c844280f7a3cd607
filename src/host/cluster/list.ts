// Whole lists of the Kubernetes API, page by page: a server may cut an answer short only where it is asked for pages.
import {clusterAnswer} from '../../errors/cluster.js'
import {listAt, textAt} from '../document.js'

/** Keeps of every item only what `read` makes of it: whole pages are large. */
export type ListAll = <T>(path: string, read: (item: unknown) => T, fieldSelector?: string) => Promise<T[]>

/** kubectl asks for as many at once. */
const PAGE = 500
const WHOLE = 'limit=0'
/** A server that always has one more page is none. */
const MOST_PAGES = 100
/** Base64 of a resource version and a key of etcd (apiserver pkg/storage/continue.go): a few hundred characters. */
const CONTINUE = /^[\x20-\x7e]{0,4096}$/

/** `expired`: the API server answers 410 where the state of the first page is gone from etcd (compaction, every 5 minutes). */
export type Page = object | 'expired' | undefined

export function openLists(get: (path: string) => Promise<Page>, server: string): ListAll {
  return async <T>(path: string, read: (item: unknown) => T, fieldSelector?: string) => {
    const selected = fieldSelector === undefined ? '' : `fieldSelector=${encodeURIComponent(fieldSelector)}&`
    let limit = `limit=${PAGE}`
    let items: T[] = []
    let next = ''
    for (let page = 0; page < MOST_PAGES; page++) {
      const more = next === '' ? '' : `&continue=${encodeURIComponent(next)}`
      const answer = await get(`${path}?${selected}${limit}${more}`)
      if (answer === 'expired') {
        if (next === '' || limit === WHOLE) throw clusterAnswer({reason: `It answered 410 to GET ${path}.`, server})
        // As client-go's pager does (tools/pager, FullListIfExpired): once more, as a whole.
        ;[items, limit, next] = [[], WHOLE, '']
        continue
      }

      const found = listAt(answer, 'items')
      if (items.length + found.length > PAGE * MOST_PAGES) break
      for (const item of found) items.push(read(item))
      next = textAt(answer, 'metadata', 'continue')
      if (!CONTINUE.test(next)) throw clusterAnswer({reason: `Its list ${path} has an invalid continue token.`, server})
      if (next === '') return items
    }

    throw clusterAnswer({reason: `Its list ${path} does not end.`, server})
  }
}
