// Assumptions about what Windows says of the origin of routes.
import {compared, notSettled, type Settler} from './settler.js'

export const routeOrigin: Settler = async ({machine: {win32}}) => {
  const [adapters, routes] = await Promise.all([win32.adapters(), win32.routes()])
  const gateways = adapters.flatMap(({dhcp, index}) =>
    routes
      .filter(({destination, interfaceIndex}) => destination === '0.0.0.0/0' && interfaceIndex === index)
      .map(({origin = 'none'}) => ({origin, wanted: dhcp ? 'dhcp' : 'manual'})),
  )
  if (gateways.length === 0) return notSettled('no adapter has a gateway')
  const onLink = routes.filter(({destination, nextHop}) => nextHop === '0.0.0.0' && destination.startsWith('127.'))
  const seen = gateways.map(({origin}) => origin)
  const wanted = gateways.map(({wanted}) => wanted)
  const isSame = seen.join() === wanted.join() && onLink.every(({origin}) => origin === undefined)
  const derived = onLink.map(({destination, origin = 'none'}) => `${destination} ${origin}`)
  return compared(isSame, [...seen, ...derived].join(', '), `${wanted.join(', ')}, and none of 127.0.0.0/8`)
}
