// A folder where k8s-win keeps a record is not made by k8s-win.
import {expect, test} from 'vitest'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'

const {copy} = setUpHost()

test.each(['health.json', 'pause.json', 'stopped.json', 'node-copy.yaml'])(
  'review W3-7: a folder at the path of %s stays with what is in it, also with --purge',
  async (name) => {
    const host = copy()
    const folder = String.raw`k\k8s-win` + `\\${name}`
    host.remove(folder)
    host.put(`${folder}\\theirs.txt`, 'theirs')
    const {result} = await resetOn(host.dir, {given: {purge: true}})
    expect(result.exitCode).toBe(0)
    expect(host.read(`${folder}\\theirs.txt`)).toBe('theirs')
  },
)
