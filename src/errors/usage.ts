// Exit 2: a command line that cannot be understood. Names are in the spelling the user used.
import {defineError} from './define.js'

export const simulateVariable = defineError<{profile: string}>('SIMULATE_VARIABLE', 2, {
  cause: (p) =>
    `The environment variable K8S_WIN_SIMULATE is ${p.profile}, and --simulate is not given: everything would be done on a simulated host, and this one would not change.`,
  fix: 'Remove the variable from the environment. For a rehearsal on Windows, give --simulate <profile> on the command line.',
  message: 'K8S_WIN_SIMULATE is set on a Windows host',
})

export const unknownFlag = defineError<{command: string; flag: string; suggestion: string}>('UNKNOWN_FLAG', 2, {
  cause: (p) => `"k8s-win ${p.command}" has no such flag.`,
  fix: (p) =>
    p.suggestion === ''
      ? `"k8s-win ${p.command} --help" lists the flags.`
      : `Did you mean ${p.suggestion}? "k8s-win ${p.command} --help" lists all flags.`,
  message: (p) => `Unknown flag ${p.flag}`,
})

export const missingValue = defineError<{flag: string; value: string}>('MISSING_VALUE', 2, {
  cause: 'The command line ends, or goes on with another flag, where the value should stand.',
  fix: (p) => `Write ${p.flag} ${p.value}.`,
  message: (p) => `${p.flag} has no value`,
})

export const repeatedFlag = defineError<{flag: string}>('REPEATED_FLAG', 2, {
  cause: 'This flag takes one value; which one is meant cannot be known.',
  fix: (p) => `Give ${p.flag} once.`,
  message: (p) => `${p.flag} is given more than once`,
})

export const contradictingFlags = defineError<{one: string; other: string}>('CONTRADICTING_FLAGS', 2, {
  cause: 'They ask for two different things; which one is meant cannot be known.',
  fix: 'Give one of them.',
  message: (p) => `${p.one} and ${p.other} contradict each other`,
})

export const unexpectedArgument = defineError<{argument: string; command: string}>('UNEXPECTED_ARGUMENT', 2, {
  cause: 'It belongs to no flag. A value with spaces needs quotes.',
  fix: (p) => `Remove it, or write the flag it belongs to before it: "k8s-win ${p.command} --help" lists them.`,
  message: (p) => `Unexpected argument "${p.argument}"`,
})

export const unknownCommand = defineError<{command: string; suggestion: string}>('UNKNOWN_COMMAND', 2, {
  cause: 'k8s-win has no such command.',
  fix: (p) =>
    p.suggestion === ''
      ? '"k8s-win --help" lists the commands.'
      : `Did you mean "k8s-win ${p.suggestion}"? "k8s-win --help" lists all commands.`,
  message: (p) => `Unknown command "${p.command}"`,
})

export const missingId = defineError<Record<never, string>>('MISSING_ID', 2, {
  cause: '"k8s-win explain" looks up the IDs that messages show.',
  fix: 'Write the ID that a message shows, for example: k8s-win explain NO_POD_CIDR.',
  message: 'There is no ID to explain',
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
  cause: 'The first word must say what to do.',
  fix: (p) => `Write the command first, for example: k8s-win setup ${p.argument} ...`,
  message: (p) => `There is no command before ${p.argument}`,
})

export const badChoice = defineError<{choices: string; flag: string; value: string}>('BAD_CHOICE', 2, {
  cause: 'Only certain values exist for it.',
  fix: (p) => `Choose one of: ${p.choices}.`,
  message: (p) => `${p.flag} "${p.value}" does not exist`,
})
