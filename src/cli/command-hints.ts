// Commands in the texts of errors and checks: 'Run "k8s-win setup" again'. Whoever named a base directory or a simulated
// machine gets them with the same flags, or they would act elsewhere. Variables of the environment hold for the next one, too.
import {commandTyper, INSTALLED} from './next-commands.js'

const COMMAND = /"k8s-win ((?:doctor|logs|reset|setup|status)(?: [^"\n]{0,200})?)"/g
let typed = (command: string): string => `k8s-win ${command}`

/** For the rest of this process. `argv`: normalised, each flag with its value in one word. */
export function hintLike(argv: readonly string[], platform: NodeJS.Platform): void {
  const given = (flag: string): string | undefined =>
    argv.findLast((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3)
  const [simulate, dir, baseDir] = [given('simulate'), given('simulate-dir'), given('base-dir')]
  const called = simulate === undefined ? INSTALLED.called : 'npx k8s-win'
  const type = commandTyper(called, {simulate, 'simulate-dir': dir}, platform)
  typed = (command) => (command.includes('--base-dir') ? `k8s-win ${command}` : type(command, baseDir))
}

/** A text that was treated already stays as it is. */
export const withTypedCommands = (text: string): string =>
  text.replaceAll(COMMAND, (_, command: string) => `"${typed(command)}"`)
