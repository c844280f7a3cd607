// The batch script in the form that each launcher takes: ASCII, without a byte order mark, with its marker at the first byte.
import {createHash} from 'node:crypto'
import {gzipSync} from 'node:zlib'
import type {UserdataCloud, UserdataFormat} from '../../config/options/userdata-options.js'

const CR_LF = '\r\n'
const FILE = 'k8s-win.cmd'
const MOST_PLAIN = 16_384

export function userdataText(cloud: UserdataCloud, format: UserdataFormat, lines: readonly string[]): string {
  switch (format) {
    case 'cloud-config':
      return cloudConfig(lines)
    case 'cse':
      return commandToExecute(lines)
    case 'guestinfo':
      return guestinfo(script('vsphere', lines))
    case 'multipart':
      return multipart(batch(lines))
    case 'script':
      return script(cloud, lines)
  }
}

const batch = (lines: readonly string[]): string => lines.map((line) => `${line}${CR_LF}`).join('')

/** cloudbase-init takes a script by the line "rem cmd" (userdatautils.py), EC2Launch by its tag, GCE by the name of its key. */
function script(cloud: UserdataCloud, lines: readonly string[]): string {
  if (cloud === 'gce') return batch(lines)
  return cloud === 'aws' ? batch(['<script>', ...lines, '</script>']) : batch(['rem cmd', ...lines])
}

/** An entry per line: runcmd.py writes CR and LF behind each, and "rem cmd" before the first. YAML has the strings of JSON. */
function cloudConfig(lines: readonly string[]): string {
  return ['#cloud-config', 'runcmd:', ...lines.map((line) => `  - ${JSON.stringify(line)}`), ''].join('\n')
}

/**
 * One part, which may be put behind others: the last one decides. It needs a name, by which cloudbase-init takes it for a
 * script (shellscript.py), and base64, which keeps its CR. No line of base64 begins as the boundary does.
 */
function multipart(content: string): string {
  const boundary = 'k8s-win-userdata'
  return [
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    'MIME-Version: 1.0',
    '',
    `--${boundary}`,
    'Content-Type: text/x-shellscript; charset="us-ascii"',
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment; filename="${FILE}"`,
    '',
    ...(base64(content).match(/.{1,76}/g) ?? []),
    `--${boundary}--`,
    '',
  ].join('\n')
}

/**
 * vmwareguestinfoservice.py: both encodings since its first version. Without an instance ID cloudbase-init keeps no record of
 * what it has done, and does everything again at every start (init.py, _exec_plugin). The header of gzip would name this system.
 */
function guestinfo(content: string): string {
  const plain = base64(content)
  const [encoding, value] =
    plain.length > MOST_PLAIN ? ['gzip+base64', base64(anonymous(gzipSync(content, {level: 9})))] : ['base64', plain]
  const metadata = base64(JSON.stringify({'instance-id': instanceId(content)}))
  const values = {metadata, 'metadata.encoding': 'base64', userdata: value, 'userdata.encoding': encoding}
  return Object.entries(values)
    .map(([name, text]) => `guestinfo.${name}=${text}\n`)
    .join('')
}

/** cloudbase-init runs user data once per instance ID: other user data has another. */
export const instanceId = (userdata: string): string =>
  `k8s-win-${createHash('sha256').update(userdata).digest('hex').slice(0, 32)}`

const UNKNOWN_SYSTEM = 255
/** Byte 9 is the operating system (RFC 1952, 2.3). */
const anonymous = (packed: Buffer): Buffer => packed.fill(UNKNOWN_SYSTEM, 9, 10)

/** Azure's extension passes the command to cmd.exe: as base64 in a file, nothing of the script is quoted for its line. */
function commandToExecute(lines: readonly string[]): string {
  const folder = String.raw`%ProgramFiles%\k8s-win`
  const [encoded, file] = [`"${folder}\\userdata.b64"`, `"${folder}\\userdata.cmd"`]
  const command = [
    `mkdir "${folder}" 2>nul`,
    `>${encoded} echo ${base64(batch(lines))}`,
    String.raw`"%SystemRoot%\System32\certutil.exe" -f -decode ${encoded} ${file} >nul&&call ${file}`,
  ].join('&')
  const document = {
    publisher: 'Microsoft.Compute',
    type: 'CustomScriptExtension',
    typeHandlerVersion: '1.10',
    autoUpgradeMinorVersion: true,
    protectedSettings: {commandToExecute: command},
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

const base64 = (content: Buffer | string): string => Buffer.from(content).toString('base64')
