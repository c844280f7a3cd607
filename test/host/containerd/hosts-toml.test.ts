// hosts.toml as containerd decodes it: what it would only write to its log is a problem here.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {readHostsFile} from '../../../src/host/containerd/hosts-toml.js'

const WHOLE = `
server = "https://registry.example.com:5000"
capabilities = ["pull", "Resolve"]
ca = ["ca.crt", "../docker.io/other.pem"]
client = [["client.cert", "client.key"], "both.pem"]
skip_verify = false
dial_timeout = "1m30.5s"

[header]
  X-Team = ["one", "two"]

[host."http://mirror.example.com/v2/copy"]
  capabilities = ["pull"]
  override_path = true
  client = "mirror.pem"
  ca = 'mirror.crt'
  [host."http://mirror.example.com/v2/copy".header]
    Authorization = "Basic c29tZW9uZTpodW50ZXIy"
`

describe('hosts.toml', () => {
  it('is read with the files and headers that it names, of every host', () => {
    const {written: _, ...read} = readHostsFile(WHOLE)
    expect(read).toEqual({
      authorities: ['ca.crt', '../docker.io/other.pem', 'mirror.crt'],
      clients: [
        ['client.cert', 'client.key'],
        ['both.pem', 'both.pem'],
        ['mirror.pem', 'mirror.pem'],
      ],
      headers: ['one', 'two', 'Basic c29tZW9uZTpodW50ZXIy'],
      problems: [],
      unverified: [],
    })
    expect(readHostsFile('# nothing but a comment\n').problems).toEqual([])
    // containerd's own examples.
    expect(readHostsFile('server = "registry.example.com"\n[host."mirror.example.com"]\n').problems).toEqual([])
  })

  it.each<[string, string]>([
    ['server =', 'Line 1'],
    ['server = 5', 'server must'],
    ['server = "http:registry.example.com"', 'server is not an address'],
    ['server = "httpbin.example"', 'server is not an address'],
    ['server = "ftp://registry.example.com"', 'server is not an address'],
    ['server = "https://someone:hunter2@registry.example.com"', 'server has a login'],
    ['Server = "https://x"', 'Did you mean server?'],
    ['mirrors = []', 'no field mirrors'],
    ['host = "x"', 'host must be a table of tables'],
    ['host.x = 5', 'host."x" must be a table'],
    ['[host."https://someone:hunter2@mirror.example"]', 'host."https://***@mirror.example" has a login'],
    ['[host."https://x"]\nserver = "https://y"', 'no field host."https://x".server'],
    ['[host."https://x"]\nskip_verfy = true', 'Did you mean skip_verify?'],
    ['capabilities = "pull"', 'capabilities must'],
    ['capabilities = ["pull", "delete"]', 'capabilities must'],
    ['ca = 1', 'ca must'],
    ['ca = ["a", 1]', 'ca must'],
    ['client = [["a", "b", "c"]]', 'client must'],
    ['client = [1]', 'client must'],
    ['client = {a = "b"}', 'client must'],
    ['skip_verify = "true"', 'skip_verify must'],
    ['override_path = 1', 'override_path must'],
    ['dial_timeout = 5', 'dial_timeout must'],
    ['dial_timeout = "5"', 'dial_timeout must'],
    ['header = ["a"]', 'header must'],
    ['[header]\nx = 5', 'header must'],
    ['[header]\n"a b" = "x"', 'header must'],
    ['[header]\nx = "a\\nb"', 'header must'],
    ['constructor = 1', 'no field constructor'],
  ])('%j is refused', (text, said) => {
    const {problems} = readHostsFile(text)
    expect(problems).toEqual([expect.stringContaining(said)])
    expect(problems.join()).not.toContain('hunter2')
  })

  it('has all its problems named at once', () => {
    expect(readHostsFile('ca = 1\nskip_verify = 1\n[host."https://x"]\nca = 1\nmirror = 1').problems).toHaveLength(4)
  })

  it('shows no value of a header in a problem, and never fails', () => {
    const secret = 'hunter2hunter2'
    const line = fc.constantFrom(
      `Authorization = "${secret}"`,
      `Authorization = "${secret}`,
      `Authorization = ["${secret}", 5]`,
      `[header.x]`,
      '[header]',
      'ca = 5',
      'header = 5',
      `["${secret}" = ]`,
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string())), (lines) => {
        expect(readHostsFile(lines.join('\n')).problems.join('\n').replaceAll('no field', '')).not.toContain(
          `"${secret}"`,
        )
      }),
    )
  })
})
