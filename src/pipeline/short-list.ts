// Names in a sentence: the first few, and how many more there are.

export function shortList(names: readonly (number | string)[], most = 5, separator = ', '): string {
  const more = names.length - most
  return `${names.slice(0, most).join(separator)}${more > 0 ? ` and ${more} more` : ''}`
}
