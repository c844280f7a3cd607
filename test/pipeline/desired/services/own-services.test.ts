// Where a node is: by what its services run from.
import {describe, expect, it} from 'vitest'
import type {Host} from '../../../../src/host/host.js'
import {demandNodeHere, homesOfServices} from '../../../../src/pipeline/desired/services/own-services.js'

const OLD = String.raw`C:\k`
const NEW = String.raw`D:\new k`
/** Services of k8s-win, by the base directory they run from. */
const hostWith = (homes: Readonly<Record<string, string>>): Host =>
  ({
    services: {
      imagePath: (name: string) =>
        Promise.resolve(
          name === 'flanneld'
            ? `"${homes[name]}\\shawl.exe" run`
            : `"${homes[name]}\\kubernetes\\node\\bin\\kubelet.exe"`,
        ),
      isOurs: (name: string) => Promise.resolve(homes[name] !== undefined),
    },
  }) as unknown as Host

describe('a node', () => {
  it.each([{flanneld: OLD, kubelet: 'c:\\K'}, {}, {flanneld: OLD, kubelet: NEW}])(
    'with services from %j may be reset here',
    async (homes) => expect(await demandNodeHere(hostWith(homes), OLD)).toBeUndefined(),
  )

  it('whose services run from elsewhere only may not', async () => {
    await expect(demandNodeHere(hostWith({flanneld: NEW, kubelet: NEW}), OLD)).rejects.toMatchObject({
      exitCode: 3,
      id: 'NODE_ELSEWHERE',
    })
  })

  it('is found by its services', async () => {
    expect([...(await homesOfServices(hostWith({flanneld: OLD, kubelet: NEW})))]).toEqual([
      [NEW, ['kubelet']],
      [OLD, ['flanneld']],
    ])
  })
})
