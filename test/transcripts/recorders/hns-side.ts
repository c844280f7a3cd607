// Run by node.exe in the lab: the simulated HNS behind the lab's vmcompute.dll, and hcsshim's client in front of it.
import {spawn} from 'node:child_process'
import {writeFileSync} from 'node:fs'
import {putDll} from '../../lab/hns/dll.js'
import {serveHns, simulatedHns} from '../../lab/world/hns-pipe.js'
import {makeStage} from '../../simulator/fresh-model.js'

const [, , programs = '', client = '', answers = ''] = process.argv
await putDll(programs)
const requests: unknown[] = []
const model = simulatedHns(makeStage())
const server = await serveHns(async (method, path, request) => {
  requests.push({method, path, request})
  return model(method, path, request)
})
const child = spawn(client, [], {stdio: ['ignore', 'pipe', 'pipe']})
let [out, err] = ['', '']
child.stdout.on('data', (piece: Buffer) => (out += piece.toString('utf8')))
child.stderr.on('data', (piece: Buffer) => (err += piece.toString('utf8')))
const code = await new Promise((resolve) => child.once('close', resolve))
await server.close()
writeFileSync(answers, JSON.stringify({code, err, out, requests}))
