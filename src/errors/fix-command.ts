// The command in the text of a fix, for programs. Fixes name commands in quotes.

/** They show something and fix nothing. */
const READS = /^(?:docker run|k8s-win (?:doctor|explain|logs|status)|kubectl (?:config|describe|get)|netsh)\b/

/** The one command that fixes it, if there is one: k8s-win's own, or else the one after the word "run". */
export function commandIn(fix: string): string | null {
  const own = /"(k8s-win (?:reset|setup)\b[^"\n]*)"/.exec(fix)?.[1]
  const command = own ?? /\brun:? "([^"\n]+)"/i.exec(fix)?.[1]
  // What is in angle brackets has to be filled in.
  return command === undefined || READS.test(command) || command.includes('<') ? null : command
}
