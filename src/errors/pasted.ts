// Names in commands that a message offers to paste into an elevated console. A user chooses the names of folders, a
// cluster those of its objects, and PowerShell runs $(…) inside quotes too: a name with a letter that a console could act
// on is left out. What is in angle brackets has to be filled in, and is no `command` for programs (commandIn).

/** A name as one word of a command. A leading dash or slash would be a flag, and PowerShell acts on a leading @. */
export const pasted = (name: string): string => (/^(?:(?![@/-])[\w.\\:@/-]+|<\w+>)$/.test(name) ? name : '<name>')

/** A path in quotes, as blanks need them. */
export const pastedPath = (path: string): string => `"${/^(?:[\w.\\: -]+|<\w+>)$/.test(path) ? path : '<path>'}"`
