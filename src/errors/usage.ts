// Exit 2: a command line that cannot be understood. Names are in the spelling the user used.
import {defineError} from './define.js'

export const simulateVariable = defineError<{profile: string}>('SIMULATE_VARIABLE', 2, {
  cause: (p) =>
    `The environment variable K8S_WIN_SIMULATE is ${p.profile}, and --simulate is not given: the command would run on a simulated host, and this host would not change.`,
  fix: 'Remove the variable from the environment. To try k8s-win on a simulated host, pass --simulate <profile> on the command line.',
  message: 'K8S_WIN_SIMULATE is set on a Windows host',
})

export const detachSimulated = defineError<Record<never, string>>('DETACH_SIMULATED', 2, {
  cause: 'On a simulated host no service starts k8s-win: a run that was handed over to one would never continue.',
  fix: 'Remove --detach, or K8S_WIN_DETACH: on a simulated host the run ends with its session.',
  message: 'A simulated host cannot continue a run as a service',
})

export const unknownFlag = defineError<{command: string; flag: string; suggestion: string}>('UNKNOWN_FLAG', 2, {
  cause: (p) => `The command ${p.command} has no such flag.`,
  fix: (p) =>
    p.suggestion === ''
      ? `"k8s-win ${p.command} --help-all" lists the flags.`
      : `Did you mean ${p.suggestion}? "k8s-win ${p.command} --help-all" lists all flags.`,
  message: (p) => `Unknown flag ${p.flag}`,
})

export const ambiguousFlag = defineError<{flag: string; matches: string}>('AMBIGUOUS_FLAG', 2, {
  cause: (p) => `Several flags begin with it: ${p.matches}.`,
  fix: 'Write more letters of the flag.',
  message: (p) => `Flag ${p.flag} is ambiguous`,
})

export const missingValue = defineError<{flag: string; value: string}>('MISSING_VALUE', 2, {
  cause: 'The flag requires a value.',
  fix: (p) => `Write ${p.flag} ${p.value}.`,
  message: (p) => `${p.flag} has no value`,
})

export const repeatedFlag = defineError<{flag: string}>('REPEATED_FLAG', 2, {
  cause: 'This flag accepts one value; it is ambiguous which one applies.',
  fix: (p) => `Pass ${p.flag} once.`,
  message: (p) => `${p.flag} is given more than once`,
})

export const contradictingFlags = defineError<{one: string; other: string}>('CONTRADICTING_FLAGS', 2, {
  cause: 'The two flags exclude each other.',
  fix: 'Pass only one of them.',
  message: (p) => `${p.one} and ${p.other} contradict each other`,
})

export const unexpectedArgument = defineError<{argument: string; command: string}>('UNEXPECTED_ARGUMENT', 2, {
  cause: 'It does not belong to a flag. Values with spaces need quotes.',
  fix: (p) => `Remove it, or write the flag it belongs to before it: "k8s-win ${p.command} --help" lists them.`,
  message: (p) => `Unexpected argument "${p.argument}"`,
})

export const unknownCommand = defineError<{command: string; suggestion: string}>('UNKNOWN_COMMAND', 2, {
  cause: 'k8s-win does not have this command.',
  fix: (p) =>
    p.suggestion === ''
      ? '"k8s-win --help" lists the commands.'
      : `Did you mean "k8s-win ${p.suggestion}"? "k8s-win --help" lists all commands.`,
  message: (p) => `Unknown command "${p.command}"`,
})

export const missingId = defineError<Record<never, string>>('MISSING_ID', 2, {
  cause: '"k8s-win explain" looks up the IDs that messages show.',
  fix: 'Write the ID that a message shows, for example: k8s-win explain NO_POD_CIDR.',
  message: 'The ID to explain is missing',
})

export const unknownId = defineError<{given: string; suggestion: string}>('UNKNOWN_ID', 2, {
  cause: 'No error, check or known failure of k8s-win has this ID.',
  fix: (p) =>
    p.suggestion === ''
      ? 'Write the ID as the message shows it.'
      : `Did you mean ${p.suggestion}? Run: k8s-win explain ${p.suggestion}`,
  message: (p) => `Unknown ID "${p.given}"`,
})

export const missingCommand = defineError<{argument: string}>('MISSING_COMMAND', 2, {
  cause: 'The first argument must be a command.',
  fix: (p) => `Write the command first, for example: k8s-win setup ${p.argument} ...`,
  message: (p) => `Missing command before ${p.argument}`,
})

export const badChoice = defineError<{choices: string; flag: string; value: string}>('BAD_CHOICE', 2, {
  cause: 'The flag accepts only certain values.',
  fix: (p) => `Choose one of: ${p.choices}.`,
  message: (p) => `${p.flag} must be one of ${p.choices}, not "${p.value}"`,
})
