// k8s-win run-detached: what the service k8s-win-run starts. Reads the request, and runs the command that it names.
import {Command} from '@oclif/core/command'
import {chooseMachine} from '../cli/choose-machine.js'
import {nodeFlags} from '../cli/arguments/flag-table.js'
import {layoutOf} from '../config/layout.js'
import {environmentVariable, optionOf} from '../config/options/options.js'
import {noRunRequested} from '../errors/detach.js'
import {argumentsOf} from '../runs/detach/request-arguments.js'
import {continueRun} from '../runs/detach/continue-run.js'

const VARIABLE = new RegExp(`^${environmentVariable('')}`, 'i')

export default class RunDetached extends Command {
  static override description = 'Started by the service k8s-win-run, with which a run outlives its session.'

  static override flags = nodeFlags

  static override hidden = true

  static override summary = 'Continue the run that was handed over to the service.'

  override async run(): Promise<number> {
    const {flags} = await this.parse(RunDetached)
    const {machine} = await chooseMachine(flags, process.platform)
    const {simulate, 'simulate-dir': simulateDir} = flags
    const host = argumentsOf({simulate, 'simulate-dir': simulateDir})
    const baseDir = flags['base-dir'] ?? optionOf('base-dir').default ?? ''
    return continueRun(machine, baseDir, async ({argv, command, environment}, token) => {
      // The request has what was given, from wherever: a variable of the machine would be given once more.
      for (const name of Object.keys(process.env)) if (VARIABLE.test(name)) delete process.env[name]
      Object.assign(process.env, environment, token !== undefined && {[environmentVariable('token')]: token})
      // The lock and the log name the command that was handed over.
      process.argv.splice(2, process.argv.length, command, ...argv)
      return this.config.runCommand<number>(command, [...argv, ...host]).catch((error: unknown) => {
        // Of the parser: an option that another k8s-win has written.
        if (!(error instanceof Error && 'parse' in error)) throw error
        const reason = `cannot be read by this k8s-win (${error.message.split('\n', 1)[0]})`
        throw noRunRequested({path: layoutOf(baseDir).request, reason}, {cause: error})
      })
    })
  }
}
