// Values as TOML, in forms that every version of containerd reads.

/** Literal, which keeps backslashes as they are; a basic string, with escapes, for a text that a literal cannot hold. */
export function tomlString(text: string): string {
  if (!/['\p{Cc}]/u.test(text)) return `'${text}'`
  // JSON's escapes are TOML's; only DEL must be escaped in TOML alone (toml.io, v1.0.0, "String").
  return JSON.stringify(text).replace(/[\u007F-\u009F]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
}

/** A boolean, a text or a list of these. `shown`: what is written for a text. */
export function tomlValue(value: unknown, shown = (text: string): string => text): string {
  if (Array.isArray(value)) return `[${value.map((one) => tomlValue(one, shown)).join(', ')}]`
  return typeof value === 'boolean' ? String(value) : tomlString(shown(String(value)))
}
