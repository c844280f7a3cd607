// Evidence for people: two command lines of hundreds of letters are told by what differs between them.

const COMMAND_LINES = /^(\S+): imagePath is (.*), wanted (.*)$/

export function readable(evidence: string): string {
  const [, service = '', seen = '', wanted = ''] = COMMAND_LINES.exec(evidence) ?? []
  return service === '' ? evidence : `${service}: its command line ${difference(seen, wanted)}`
}

function difference(seen: string, wanted: string): string {
  const [has, wants] = [seen.split(' '), wanted.split(' ')]
  const extra = has.filter((word) => !wants.includes(word)).join(' ')
  const lacking = wants.filter((word) => !has.includes(word)).join(' ')
  if (extra !== '' && lacking !== '') return `has ${extra} where ${lacking} is wanted`
  if (extra !== '') return `has ${extra} that is not wanted`
  return lacking === '' ? 'has the same words in another order' : `lacks ${lacking}`
}
