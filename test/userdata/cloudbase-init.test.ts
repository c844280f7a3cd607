// The rules of cloudbase-init 1.1.8 that the forms rely on, each with its file; script.test.ts drives every form through them.
import {gzipSync} from 'node:zlib'
import {describe, expect, it} from 'vitest'
import {guestinfoData, processUserData} from './cloudbase-init.js'
import {userdataOf} from './rig.js'

const NOTHING = {again: false, reboot: false}

/** What was run, and what became of its exit code. */
function processed(data: Buffer | string, code: number) {
  const ran: string[] = []
  const status = processUserData(Buffer.from(data), (batch) => {
    ran.push(batch)
    return code
  })
  return {ran: ran.length, status}
}

const SCRIPT = 'rem cmd\r\nexit /b 1002\r\n'
const CONFIG = '#cloud-config\nruncmd:\n  - "exit"\n'

describe.each([
  ['execcmd.py: 1001 restarts', SCRIPT, 1001, 1, {again: false, reboot: true}],
  ['execcmd.py: 1002 runs again', SCRIPT, 1002, 1, {again: true, reboot: false}],
  ['execcmd.py: 1003 restarts and runs again', SCRIPT, 1003, 1, {again: true, reboot: true}],
  ['execcmd.py: everything else is done', SCRIPT, 1, 1, NOTHING],
  ['userdatautils.py: a marker behind an empty line is none', `\r\n${SCRIPT}`, 1003, 0, NOTHING],
  ['userdatautils.py: a marker behind a byte order mark is none', `\uFEFF${SCRIPT}`, 1003, 0, NOTHING],
  ['execcmd.py: codes of two sections are added', '<script>a</script><script>b</script>', 1001, 2, NOTHING],
  ['cloudconfig.py: 1001 below runcmd runs everything again', CONFIG, 1001, 1, {again: true, reboot: true}],
  ['runcmd.py: 1002 below runcmd is lost', CONFIG, 1002, 1, NOTHING],
  ['cloudconfig.py: 1003 below runcmd', CONFIG, 1003, 1, {again: true, reboot: true}],
  ['base.py: packed user data', gzipSync(SCRIPT), 1002, 1, {again: true, reboot: false}],
] as const)('%s', (_, data, code, ran, status) => {
  it('is so', () => expect(processed(data as Buffer | string, code)).toEqual({ran, status}))
})

const part = (type: string, name: string, body: string) =>
  `--b\nContent-Type: ${type}\n${name === '' ? '' : `Content-Disposition: attachment; filename="${name}"\n`}\n${body}\n`
const message = (...parts: readonly string[]) =>
  `Content-Type: multipart/mixed; boundary="b"\nMIME-Version: 1.0\n\n${parts.join('')}--b--\n`

it('userdata.py: the last part decides', () => {
  const ours = part('text/x-shellscript', 'k8s-win.cmd', 'exit')
  const other = part('text/plain', 'readme.txt', 'nothing')
  expect(processed(message(other, ours), 1002).status).toEqual({again: true, reboot: false})
  expect(processed(message(ours, other), 1002).status).toEqual(NOTHING)
})

it('shellscript.py: a part without a name is done', () => {
  expect(processed(message(part('text/x-shellscript', '', 'exit')), 1002)).toEqual({ran: 0, status: NOTHING})
})

it('vmwareguestinfoservice.py: both encodings', () => {
  const data = (encoding: string, value: Buffer) =>
    guestinfoData(
      new Map([
        ['guestinfo.userdata', value.toString('base64')],
        ['guestinfo.userdata.encoding', encoding],
      ]),
    ).toString()
  expect([data('base64', Buffer.from(SCRIPT)), data('gzip+base64', gzipSync(SCRIPT))]).toEqual([SCRIPT, SCRIPT])
})

it('our part of a message can stand behind others, as it is', async () => {
  const {userdata} = await userdataOf('openstack', ['--format', 'multipart'])
  const [head = '', ours = ''] = userdata.split(/(?=^--k8s-win-userdata\n)/m)
  const before = part('text/x-shellscript', 'first.cmd', 'echo').replace('--b', '--k8s-win-userdata')
  const ran: string[] = []
  processUserData(Buffer.from(head + before + ours), (batch) => {
    ran.push(batch)
    return 0
  })
  expect(ran.map((batch) => batch.split('\n')[0]?.trim())).toEqual(['echo', '@echo off'])
})
