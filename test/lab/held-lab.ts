// Opens the lab, starts something that never ends, says where, and waits to be killed.
import {openLab} from './lab.js'

const lab = await openLab()
const machine = await lab.machine()
await machine.start({args: ['-e', 'setInterval(() => {}, 1000)'], timeoutMs: 600_000})
process.stdout.write(`${machine.linuxPath('/')}\n`)
