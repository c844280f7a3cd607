// Where a token comes from, what is tolerated around it, and that it is hidden before anything is said about it.
import {win32} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readToken, type TokenSource} from '../../../src/host/cluster/join-token.js'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE, type Security} from '../../../src/host/security/security.js'
import {openTrust} from '../../../src/host/security/trust.js'
import type {StandardInput} from '../../../src/machine/standard-input.js'
import {surveyOver} from '../../../src/machine/survey.js'
import type {Win32} from '../../../src/machine/win32.js'
import {handClock} from '../../fakes/hand-clock.js'
import {memoryFiles} from '../../fakes/memory-files.js'
import {only} from '../../fakes/partial.js'

const FILE = String.raw`C:\join\token.txt`
const SERVER = 'https://10.0.0.1:6443'
const TOKEN = 'abcdef.canary0123456789'
const ACCOUNT = 'S-1-5-21-1-2-3-1001'

interface Asked {
  readonly content?: Buffer | string
  readonly input?: StandardInput
  readonly sddl?: string
  readonly signal?: AbortSignal
  readonly token?: string
  readonly tokenFile?: string
}

async function read({content, input, sddl = ADMINISTRATORS_ONLY_FILE, signal, ...join}: Asked = {}) {
  const texts = content === undefined ? {} : {[FILE]: content}
  const files = memoryFiles(texts)
  const calls = only<Win32>('win32', {
    accountSid: async () => ACCOUNT,
    drive: () => Promise.resolve(undefined),
    isAdministrator: async () => true,
    survey: surveyOver(files, async (path) => (path === FILE ? sddl : ADMINISTRATORS_ONLY), win32.join),
  })
  const security = only<Security>('security', {account: async () => ACCOUNT, of: async () => sddl})
  const clock = handClock()
  const secrets: string[] = []
  const warnings: string[] = []
  const source: TokenSource = {
    host: {clock, files, security, trust: openTrust(calls)},
    input,
    register: (secret) => secrets.push(secret),
    warn: (message) => warnings.push(message),
  }
  const asked = {server: SERVER, ...(Object.keys(join).length > 0 || content === undefined ? join : {tokenFile: FILE})}
  try {
    const token = await readToken(source, asked, signal ?? new AbortController().signal)
    return {clock, secrets, token, warnings}
  } catch (error) {
    const {fix, id, message, reason} = error as {fix: string; id: string; message: string; reason: string}
    expect([fix, message, reason, (error as Error).stack].join('\n')).not.toMatch(/canary/i)
    return {clock, error, fix, id, message, reason, secrets, warnings}
  }
}

const piped = (content: Buffer | string): StandardInput => ({
  read: async () => Buffer.from(content as string),
})

describe('a token', () => {
  it('is that of the option or the variable', async () => {
    expect(await read({token: TOKEN, tokenFile: FILE})).toMatchObject({
      secrets: [TOKEN, 'canary0123456789'],
      token: TOKEN,
    })
  })

  it('is missing', async () => {
    const {id, message} = await read()
    expect([id, message]).toEqual(['JOIN_TOKEN_MISSING', expect.stringContaining(SERVER)])
  })

  it.each([
    ['alone', TOKEN],
    ['with a line break', `${TOKEN}\n`],
    ['with that of Windows, and spaces', ` ${TOKEN} \r\n\r\n`],
    ['with a mark of UTF-8', `\uFEFF${TOKEN}\r\n`],
    ['as PowerShell 5.1 writes it with ">"', Buffer.from(`\uFEFF${TOKEN}\r\n`, 'utf16le')],
    ['in UTF-16 of the other order', Buffer.from(`\uFEFF${TOKEN}`, 'utf16le').swap16()],
  ])('is read from a file and from standard input: %s', async (_, content) => {
    for (const asked of [{content}, {input: piped(content), tokenFile: '-'}]) {
      const {clock, secrets, token, warnings} = await read(asked)
      expect([token, secrets, warnings]).toEqual([TOKEN, [TOKEN, 'canary0123456789'], []])
      expect(clock.open()).toBe(0)
    }
  })
})

describe('a file without a token', () => {
  it.each([
    ['empty', '', 'It does not contain a bootstrap token. It is empty.'],
    ['with two lines', `${TOKEN}\n${TOKEN}\n`, 'It must have two parts'],
    ['in capital letters', TOKEN.toUpperCase(), 'It contains characters other than'],
    ['with a truncated one', TOKEN.slice(0, -1), 'has 15 characters instead of 16'],
    ['that is large', TOKEN.repeat(500), 'It has more than 4 KiB.'],
    ['in another encoding', Buffer.from([0xc3, 0x28]), 'It is neither UTF-8 nor UTF-16: save it as UTF-8.'],
  ])('%s', async (_, content, why) => {
    for (const asked of [{content}, {input: piped(content), tokenFile: '-'}]) {
      const {id, message, reason} = await read(asked)
      expect(id).toBe('JOIN_TOKEN_FILE')
      expect(reason).toContain(why)
      expect(message).toContain('tokenFile' in asked ? 'standard input' : FILE)
    }
  })

  it('hides what it has instead', async () => {
    const {secrets} = await read({content: 'abcdef.CANARY0123456789'})
    expect(secrets).toContain('CANARY0123456789')
  })

  it('that is missing, or a folder', async () => {
    expect((await read({tokenFile: FILE})).reason).toBe('It does not exist.')
    const {id, reason} = await read({content: TOKEN, tokenFile: String.raw`C:\join`})
    expect([id, reason]).toEqual(['JOIN_TOKEN_FILE', 'It is a folder.'])
  })
})

describe('a file of others', () => {
  it('that they can write is refused', async () => {
    const {id} = await read({content: TOKEN, sddl: 'O:BAG:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;BU)'})
    expect(id).toBe('UNTRUSTED_FILE')
  })

  it('that they can read is used, with a warning', async () => {
    const {token, warnings} = await read({content: TOKEN, sddl: 'O:BAG:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FR;;;BU)'})
    expect(token).toBe(TOKEN)
    expect(warnings).toEqual([expect.stringContaining(`Users can read the token in ${FILE}`)])
  })

  it('that is on another computer is not opened', async () => {
    expect((await read({tokenFile: String.raw`\\server\share\token`})).id).toBe('REMOTE_PATH')
  })
})

describe('standard input', () => {
  it('review U2-20: that is a terminal is asked for the token', async () => {
    const prompts: string[] = []
    const input: StandardInput = {
      read: async (_most, _signal, prompt) => Buffer.from(prompts.push(prompt) ? TOKEN : ''),
    }
    expect((await read({input, tokenFile: '-'})).token).toBe(TOKEN)
    expect(prompts).toEqual([expect.stringMatching(/token/i)])
  })

  it('that is not there has no token', async () => {
    expect((await read({tokenFile: '-'})).reason).toContain('It is empty')
  })

  it('that never ends is given up', async () => {
    const input: StandardInput = {
      read: (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    }
    const hand = handClock()
    const source = {
      host: only<TokenSource['host']>('host', {clock: hand}),
      input,
      register: () => {},
      warn: () => {},
    }
    const asked = readToken(source, {server: SERVER, tokenFile: '-'}, new AbortController().signal)
    hand.advance(300_000)
    await expect(asked).rejects.toMatchObject({id: 'JOIN_TOKEN_FILE', reason: 'No token arrived within 300 s.'})
  })

  it('is not waited for after an interruption', async () => {
    const controller = new AbortController()
    const input = {
      read: () => {
        controller.abort(new Error('interrupted'))
        return new Promise<Buffer>(() => {})
      },
    }
    const {error} = await read({input, signal: controller.signal, tokenFile: '-'})
    expect(error).toEqual(new Error('interrupted'))
  })
})
