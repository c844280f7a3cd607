// An HTTP client that sends every request to one server on loopback, which gets the address that was meant in a header.
import type {Http, HttpRequest} from '../../src/machine/http.js'

export const MEANT = 'x-meant-url'

export function mappedHttp(http: Http, origin: string, onRequest: (request: HttpRequest) => void = () => {}): Http {
  const mapped = (request: HttpRequest): HttpRequest => {
    onRequest(request)
    const {pathname, search} = new URL(request.url)
    return {...request, headers: {...request.headers, [MEANT]: request.url}, url: `${origin}${pathname}${search}`}
  }
  return {
    ...http,
    request: (request) => http.request(mapped(request)),
    stream: (request) => http.stream(mapped(request)),
  }
}
