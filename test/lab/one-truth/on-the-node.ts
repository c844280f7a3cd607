// Runs in node.exe on the lab's node, with the product's real machine: describes the node, or lets something happen to it.
// Arguments: "state" and a base directory, or "happens" and a name.
import {openRealMachine} from '../../../src/machine/real/index.js'
import {HAPPENINGS} from '../../one-truth/happenings.js'
import {describeNode} from '../../one-truth/node-state.js'
import {stamped} from '../node/mirror-files.js'
import type {HappeningName, MakeProgram} from '../../one-truth/scenario.js'

const [what, argument = ''] = process.argv.slice(2)
const machine = openRealMachine()
const program: MakeProgram = async (standIn) =>
  stamped((await machine.files.read(String.raw`C:\lab\programs\daemon.exe`))!, standIn)
if (what === 'state') process.stdout.write(JSON.stringify(await describeNode(machine, argument)))
else await HAPPENINGS[argument as HappeningName](machine, program)
