// What cloudbase-init 1.1.8 does with user data, read at its sources (github.com/cloudbase/cloudbase-init, folder
// cloudbaseinit; the same at 1.1.4 but for the template engine). Not from the generator.
import {gunzipSync} from 'node:zlib'
import {parse as parseYaml} from 'yaml'

export interface Processed {
  /** plugins/common/base.py: PLUGIN_EXECUTE_ON_NEXT_BOOT. */
  readonly again: boolean
  readonly reboot: boolean
}
/** Runs a batch file: its content, and the exit code. */
export type Shell = (batch: string) => number

/** metadata/services/base.py, get_decoded_user_data; plugins/common/userdata.py, _process_user_data. */
export function processUserData(raw: Buffer, shell: Shell): Processed {
  const data = raw[0] === 0x1f && raw[1] === 0x8b ? gunzipSync(raw) : raw
  const text = data.toString('utf8')
  // A message begins with its headers, up to the first empty line.
  if ((text.split('\n\n')[0] ?? '').includes('Content-Type: multipart')) return multipart(text, shell)
  // utils/template_engine/jinja2_template.py
  if (/^##\s*template:/i.test(text)) throw new Error('it would be a template')
  // plugins/common/userdata.py, _process_non_multi_part
  if (text.startsWith('#cloud-config')) return returnValue(cloudConfig(text, shell))
  return returnValue(userDataScript(text, shell))
}

/** plugins/common/execcmd.py, get_plugin_return_value. */
function returnValue(code: number): Processed {
  if (code < 1001 || code > 1003) return {again: false, reboot: false}
  return {again: (code & 2) !== 0, reboot: (code & 1) !== 0}
}

/** plugins/common/userdatautils.py, _SCRIPTS in their order; ^ is the beginning of the text only. */
function userDataScript(text: string, shell: Shell): number {
  if (/^rem\s+cmd\s/.test(text)) return shell(text)
  if (/^#!\s*\/usr\/bin\/env\s+python\s|^#!|^#(ps1|ps1_sysnative)\s|^#ps1_x86\s/.test(text)) throw new Error('no batch')
  if (!/<\/?(script|powershell)>/.test(text)) return 0
  // execcmd.py, _ec2_find_sections and CommandExecutor: exit codes are added.
  const sections = [...text.matchAll(/<script>([\s\S]+?)<\/script>/g)].map(([, code = '']) => code.trim())
  if (text.includes('<powershell>')) throw new Error('no batch')
  return sections.filter((code) => code !== '').reduce((sum, code) => sum + shell(code), 0)
}

/** userdataplugins/cloudconfig.py: whatever wants a restart, the answer is RET_END. */
function cloudConfig(text: string, shell: Shell): number {
  const content = parseYaml(text, {schema: 'yaml-1.1'}) as Record<string, unknown>
  let reboot = 0
  for (const [name, value] of Object.entries(content)) {
    if (name !== 'runcmd') throw new Error(`not a plugin that is expected: ${name}`)
    // cloudconfigplugins/runcmd.py, _unify_scripts: os.linesep behind each, SCRIPT_HEADER_CMD before.
    const batch = `rem cmd\r\n${(value as unknown[]).map((entry) => `${String(entry)}\r\n`).join('')}`
    if (!(value as unknown[]).every((entry) => typeof entry === 'string')) throw new Error('an entry is no text')
    if (returnValue(userDataScript(batch, shell)).reboot) reboot = 1003
  }
  return reboot
}

/** plugins/common/userdata.py, _parse_mime and _process_part: the status of the last part, and a restart ends it. */
function multipart(text: string, shell: Shell): Processed {
  const [, boundary = ''] = /^Content-Type: multipart\/[a-z]+;\s*boundary="([^"]+)"/m.exec(text) ?? []
  if (boundary === '') throw new Error('no boundary')
  const [, ...parts] = text.split(`--${boundary}\n`)
  // The message itself is walked first, and is a plugin's of its own, which does nothing here (multipartmixed.py).
  let status: Processed = {again: false, reboot: false}
  for (const part of parts) {
    const end = part.indexOf('\n\n')
    const headers = part.slice(0, end)
    const body = part.slice(end + 2).split(`\n--${boundary}--`)[0] ?? ''
    const type = /^Content-Type: ([\w/-]+)/m.exec(headers)?.[1]
    const name = /^Content-Disposition: attachment; filename="([^"]+)"/m.exec(headers)?.[1]
    const content = /^Content-Transfer-Encoding: base64$/m.test(headers)
      ? Buffer.from(body, 'base64').toString('latin1')
      : body
    status = returnValue(partOf(type, name, content, shell))
    if (status.reboot) break
  }
  return status
}

function partOf(type: string | undefined, name: string | undefined, content: string, shell: Shell): number {
  if (type === 'text/cloud-config') return cloudConfig(content, shell)
  // An exception is logged, and the part counts as done: shellscript.py joins a path with the name, which must be one.
  if (type !== 'text/x-shellscript' || name === undefined) return 0
  // fileexecutils.py, userdatautils.py: by the extension, else by the content.
  return /\.cmd$/i.test(name) ? shell(content) : userDataScript(content, shell)
}

/** metadata/services/vmwareguestinfoservice.py, _get_guest_data. */
export function guestinfoData(values: ReadonlyMap<string, string>): Buffer {
  const encoding = values.get('guestinfo.userdata.encoding')?.trim() || 'plaintext'
  const raw = values.get('guestinfo.userdata') ?? ''
  if (encoding === 'gzip+base64' || encoding === 'gz+b64') return gunzipSync(Buffer.from(raw, 'base64'))
  if (encoding === 'base64' || encoding === 'b64') return Buffer.from(raw, 'base64')
  if (encoding !== 'plaintext') throw new Error(`encoding ${encoding} is not supported`)
  return Buffer.from(raw)
}
