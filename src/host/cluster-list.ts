// Whole lists of the Kubernetes API, page by page: a server may cut an answer short only where it is asked for pages.
import {clusterAnswer} from '../errors/cluster.js'
import {listAt, textAt} from './document.js'

export type ListAll = (path: string, fieldSelector?: string) => Promise<readonly unknown[]>

/** kubectl asks for as many at once. */
const PAGE = 500
/** A server that always has one more page is none. */
const MOST_PAGES = 100

export function openLists(get: (path: string) => Promise<object | undefined>, server: string): ListAll {
  return async (path, fieldSelector) => {
    const selected = fieldSelector === undefined ? '' : `fieldSelector=${encodeURIComponent(fieldSelector)}&`
    const first = `${path}?${selected}limit=${PAGE}`
    const items: unknown[] = []
    let next = ''
    for (let page = 0; page < MOST_PAGES; page++) {
      const answer = await get(next === '' ? first : `${first}&continue=${encodeURIComponent(next)}`)
      items.push(...listAt(answer, 'items'))
      next = textAt(answer, 'metadata', 'continue')
      if (next === '') return items
    }

    throw clusterAnswer({reason: `Its list ${path} does not end.`, server})
  }
}
