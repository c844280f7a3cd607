// Exit 2: a command line that cannot be understood. Names are in the spelling the user used.
import {defineError} from './define.js'

export const simulateVariable = defineError('SIMULATE_VARIABLE', 2, {
  cause:
    'The environment variable K8S_WIN_SIMULATE is {profile}, and --simulate is not given: the command would run on a simulated host, and this host would not change.',
  fix: 'Remove the variable from the environment. To try k8s-win on a simulated host, pass --simulate <profile> on the command line.',
  message: 'K8S_WIN_SIMULATE is set on a Windows host',
})

export const accountVariables = defineError('ACCOUNT_VARIABLES', 2, {
  cause:
    'They are stored for the account (HKEY_CURRENT_USER\\Environment or HKEY_CURRENT_USER\\Volatile Environment), and the machine stores no such value. Every program of the account can change them, also one without the rights of an administrator, and would decide what an elevated command does.',
  fix: 'Remove the variables from the account in System Properties, Environment Variables (from "Volatile Environment" with regedit), and open a new console. Then pass the values on the command line, or set the variables in that session or for the machine ("setx /m").',
  message: 'An elevated command does not use variables of an account: {names}',
})

export const detachSimulated = defineError('DETACH_SIMULATED', 2, {
  cause: 'On a simulated host no service starts k8s-win: a run that was handed over to one would never continue.',
  fix: 'Remove --detach, or K8S_WIN_DETACH: on a simulated host the run ends with its session.',
  message: 'A simulated host cannot continue a run as a service',
})

export const unknownFlag = defineError('UNKNOWN_FLAG', 2, {
  cause: 'The command {command} has no such flag.',
  fix: (p: {command: string; suggestion: string}) =>
    p.suggestion === ''
      ? `"k8s-win ${p.command} --help-all" lists the flags.`
      : `Did you mean ${p.suggestion}? "k8s-win ${p.command} --help-all" lists all flags.`,
  message: 'Unknown flag {flag}',
})

export const ambiguousFlag = defineError('AMBIGUOUS_FLAG', 2, {
  cause: 'Several flags begin with it: {matches}.',
  fix: 'Write more letters of the flag.',
  message: 'Flag {flag} is ambiguous',
})

export const missingFlag = defineError('MISSING_FLAG', 2, {
  cause: 'The command requires this flag.',
  fix: 'Add {flag} {value}.',
  message: '{flag} is missing',
})

export const missingValue = defineError('MISSING_VALUE', 2, {
  cause: 'The flag requires a value.',
  fix: 'Write {flag} {value}.',
  message: '{flag} has no value',
})

export const repeatedFlag = defineError('REPEATED_FLAG', 2, {
  cause: 'This flag accepts one value; it is ambiguous which one applies.',
  fix: 'Pass {flag} once.',
  message: '{flag} is given more than once',
})

export const contradictingFlags = defineError('CONTRADICTING_FLAGS', 2, {
  cause: 'The two flags exclude each other.',
  fix: 'Pass only one of them.',
  message: '{one} and {other} contradict each other',
})

export const unexpectedArgument = defineError('UNEXPECTED_ARGUMENT', 2, {
  cause: 'It does not belong to a flag. Values with spaces need quotes.',
  fix: 'Remove it, or write the flag it belongs to before it: "k8s-win {command} --help" lists them.',
  message: 'Unexpected argument "{argument}"',
})

export const unknownCommand = defineError('UNKNOWN_COMMAND', 2, {
  cause: 'k8s-win does not have this command.',
  fix: (p: {suggestion: string}) =>
    p.suggestion === ''
      ? '"k8s-win --help" lists the commands.'
      : `Did you mean "k8s-win ${p.suggestion}"? "k8s-win --help" lists all commands.`,
  message: 'Unknown command "{command}"',
})

export const missingId = defineError('MISSING_ID', 2, {
  cause: '"k8s-win explain" looks up the IDs that messages show.',
  fix: 'Write the ID that a message shows, for example: k8s-win explain NO_POD_CIDR.',
  message: 'The ID to explain is missing',
})

export const unknownId = defineError('UNKNOWN_ID', 2, {
  cause: 'No error, check or known failure of k8s-win has this ID.',
  fix: (p: {suggestion: string}) =>
    p.suggestion === ''
      ? 'Write the ID as the message shows it.'
      : `Did you mean ${p.suggestion}? Run: k8s-win explain ${p.suggestion}`,
  message: 'Unknown ID "{given}"',
})

export const missingCommand = defineError('MISSING_COMMAND', 2, {
  cause: 'The first argument must be a command.',
  fix: 'Write the command first, for example: k8s-win setup {argument} ...',
  message: 'Missing command before {argument}',
})

export const missingCloud = defineError('MISSING_CLOUD', 2, {
  cause: 'The cloud is an argument of the command, not a flag.',
  fix: 'Write one of {choices} behind the command, for example: k8s-win userdata aws.',
  message: 'The cloud is missing',
})

export const badChoice = defineError('BAD_CHOICE', 2, {
  cause: 'The flag accepts only certain values.',
  fix: 'Choose one of: {choices}.',
  message: '{flag} must be one of {choices}, not "{value}"',
})
