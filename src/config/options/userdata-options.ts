// The options of "k8s-win userdata": its own, and those of setup that a script on another host can have.
import {oneOf, type OptionParser} from './parse-option.js'
import {text, toggle} from './option-spec.js'
import {type OptionFlag, OPTIONS} from './options.js'

export const USERDATA_CLOUDS = ['aws', 'azure', 'gce', 'openstack', 'vsphere', 'hyperv'] as const
export type UserdataCloud = (typeof USERDATA_CLOUDS)[number]

export const USERDATA_FORMATS = ['script', 'cloud-config', 'multipart', 'cse', 'guestinfo'] as const
export type UserdataFormat = (typeof USERDATA_FORMATS)[number]

export const userdataFormat = oneOf(USERDATA_FORMATS)

/** They are about the run at this console, or about a file that only this machine has. */
const LEFT: readonly OptionFlag[] = ['detach', 'dry-run', 'report', 'reset']

/** What names a local file is on the second page of help: most of it is refused, and --token-from takes its place. */
export const SETUP_OPTIONS = OPTIONS.filter(({flag}) => !LEFT.includes(flag)).map(({group, ...option}) => {
  const page = option.path ? (group ?? ('CLUSTER' as const)) : group
  return page === undefined || option.flag === 'token-from' ? option : {...option, group: page}
})

export const OWN_OPTIONS = [
  text('program-url', '<url>', 'Address (https) from which the host downloads k8s-win.exe. Required.'),
  text('program-digest', 'sha256:<hex>', 'Digest of k8s-win.exe. The host runs no file with another one. Required.'),
  text('format', '<name>', `What is printed: ${USERDATA_FORMATS.join(', ')}. Each cloud has its own formats.`, {
    absent: 'the first format of the cloud',
  }),
  text(
    'iso',
    '<file>',
    'Write a volume with the user data (ISO 9660) to this file: ConfigDrive for openstack, NoCloud for vsphere and hyperv.',
    {path: true},
  ),
  toggle(
    'rehearse',
    'Run the user data on a simulated Windows Server as its launcher does, through restarts, and show what the node and the launcher end with.',
  ),
  toggle('inline-secret', 'Put the token of --token or --token-file into the user data. Others can read it there.'),
] as const

export type OwnFlag = (typeof OWN_OPTIONS)[number]['flag']

export const volumeFile: OptionParser<string> = (given) =>
  given === '-'
    ? {reason: 'A volume is not written to standard output.', wanted: 'the name of a file, such as win-1.iso'}
    : {value: given}

export const programUrl: OptionParser<string> = (given) => {
  const wanted = 'an address such as https://example.com/k8s-win.exe'
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== 'https:') return {reason: 'It is not a URL that begins with https://.', wanted}
  if (url.username + url.password !== '') {
    return {reason: 'It contains a user name or a password.', shown: `https://***@${url.host}`, wanted}
  }
  return {value: url.href}
}

/** The digits alone, in lower case. */
export const programDigest: OptionParser<string> = (given) => {
  const [, hex] = /^sha256:([\da-f]{64})$/i.exec(given) ?? []
  return hex === undefined
    ? {
        reason: 'It is not sha256: followed by 64 hexadecimal digits.',
        wanted: 'sha256:<hex>, the digest of k8s-win.exe',
      }
    : {value: hex.toLowerCase()}
}
