// A word of a command line in a batch file, so that cmd.exe and the program read the same text.

/** What cmd.exe passes on as it is, and no program splits or unquotes. */
const PLAIN = /^[\w+,./:=@\\-]+$/

/** What words have a way to be written for: batchWord writes only those without a reason here. */
export function whyNotQuotable(text: string): string | undefined {
  if (/[^\u0020-\u007E]/.test(text)) {
    return 'It has characters other than printable ASCII, which launchers and consoles change.'
  }
  if (text.includes('"')) return 'It has a quotation mark, behind which cmd.exe would take & and | for its own.'
  // EC2Launch and cloudbase-init find the end of a script by its tag.
  if (/<[!/?a-z]/i.test(text)) return 'It looks like a tag, with which launchers mark the parts of user data.'
  // cloudbase-init takes a text with these words for a message with parts, and finds none (userdata.py).
  if (/content-type: *multipart/i.test(text))
    return 'It reads like the head of a MIME message, and cloudbase-init would parse the user data as one.'
  return undefined
}

/**
 * Between quotation marks cmd.exe changes only "%", which a batch file doubles ("!" with delayed expansion, which is off). A
 * program takes backslashes before a quotation mark in pairs (CommandLineToArgvW, and the start-up code of Visual C++).
 */
export function batchWord(text: string): string {
  return PLAIN.test(text) ? text : `"${text.replaceAll('%', '%%').replace(/(?<!\\)\\+$/, '$&$&')}"`
}
