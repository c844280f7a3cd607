// Networks of Docker, as far as pods need them.
import {demand, documentOf} from './api.js'
import type {Send} from './run.js'
import {textAt, textsAt} from '../document.js'

export interface NewNetwork {
  readonly driver: string
  readonly labels: Readonly<Record<string, string>>
}

export interface DockerNetwork extends NewNetwork {
  readonly id: string
}

export interface DockerNetworks {
  /** Its ID. */
  createNetwork(name: string, network: NewNetwork): Promise<string>
  /** Undefined where there is no such network. */
  network(name: string): Promise<DockerNetwork | undefined>
  removeNetwork(name: string): Promise<void>
}

export const openNetworks = (send: Send): DockerNetworks => ({
  async createNetwork(name, {driver, labels}) {
    const body = {CheckDuplicate: true, Driver: driver, Labels: labels, Name: name}
    const response = await send('POST', '/networks/create', body)
    return textAt(documentOf(response, `create the network ${name}`), 'Id')
  },
  async network(name) {
    const response = await send('GET', `/networks/${name}`)
    if (response.status === 404) return undefined
    const found = documentOf(response, `inspect the network ${name}`)
    return {driver: textAt(found, 'Driver'), id: textAt(found, 'Id'), labels: textsAt(found, 'Labels')}
  },
  async removeNetwork(name) {
    const response = await send('DELETE', `/networks/${name}`)
    if (response.status !== 404) demand(response, `remove the network ${name}`)
  },
})
