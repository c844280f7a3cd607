// What userdata refuses, and what it leaves out: all at once, and nothing of this machine.
import {describe, expect, it, test} from 'vitest'
import {OPTIONS} from '../../src/config/options/options.js'
import {SETUP_OPTIONS} from '../../src/config/options/userdata-options.js'
import {EMBEDDED} from '../../src/runs/userdata/embed.js'
import {CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import {HASH, refusals, SERVER, TOKEN, userdataFor, userdataOf} from './rig.js'

const NODE = String.raw`C:\given\node.yaml`
const nodeWith = (text: string) => ({[NODE]: `apiVersion: k8s-win/v1\nkind: NodeConfig\n${text}\n`})
const idsOf = async (...of: Parameters<typeof userdataOf>) => (await refusals(userdataOf(...of))).map(({id}) => id)

const warningsOf = async (...of: Parameters<typeof userdataOf>) => (await userdataOf(...of)).warnings.join()

it('a folder of registries is that of the image', async () => {
  const release = ['--release', '1.36.4']
  const {userdata, warnings} = await userdataOf('gce', [...release, '--registry-config', String.raw`D:\certs.d`])
  expect(userdata).toContain(String.raw` --registry-config=D:\certs.d`)
  expect(warnings.join()).toContain('--registry-config names a folder of the node')
  expect(await idsOf('gce', [...release, '--registry-config', 'certs.d'])).toEqual(['BAD_VALUE'])
})

it('what setup would miss on a new machine is a warning', async () => {
  expect(await warningsOf('aws')).toContain('how the node joins')
  expect(await warningsOf('aws', SERVER)).toContain('no token')
  expect(await warningsOf('aws', [...SERVER, '--token-from', 'aws-ssm:/a'])).toBe('')
  expect(await warningsOf('aws', ['--kubeconfig-from', 'aws-sm:a'])).toBe('')
})

it('a release is a warning where the script runs at every start of Windows', async () => {
  const joining = [...SERVER, '--release', '1.36.4']
  expect(await warningsOf('gce', [...joining, '--token-from', 'gcp-sm:my-project/a'])).toMatch(
    /every start.* 1\.36\.4 /,
  )
  expect(await warningsOf('aws', [...joining, '--token-from', 'aws-ssm:/a'])).toBe('')
  const file = ['--config', NODE, '--kubeconfig-from', 'gcp-sm:my-project/a']
  expect(await warningsOf('gce', file, nodeWith('release: "1.36.4"'))).toContain('every start')
  expect(await warningsOf('gce', file, nodeWith('nodeName: win-1'))).toBe('')
})

it('the secret store of another cloud is refused', async () => {
  const from = (cloud: string, source: string) => idsOf(cloud, [...SERVER, '--token-from', source])
  for (const cloud of ['aws', 'gce', 'openstack', 'vsphere'])
    expect(await from(cloud, 'azure-kv:my-vault/a')).toEqual(['BAD_VALUE'])
  expect(await idsOf('azure', ['--kubeconfig-from', 'gcp-sm:my-project/a'])).toEqual(['BAD_VALUE'])
})

it.each([
  ['aws', 'gcp-sm:my-project/a', ['aws-ssm:<name>', 'aws-sm:<name>']],
  ['azure', 'aws-sm:a', ['azure-kv:<vault>/<name>']],
  ['gce', 'aws-sm:a', ['gcp-sm:<project>/<name>']],
])('%s: fixes name its store in full', async (cloud, other, forms) => {
  const fixOf = async (...options: string[]) => (await refusals(userdataOf(cloud, [...SERVER, ...options])))[0]?.fix
  for (const form of forms) expect(await fixOf('--token-from', other)).toContain(form)
  expect(await fixOf('--token-file', 'x')).toContain(forms[0])
})

test('review A3-6: a host that is trusted on the command line is trusted on the node, too', async () => {
  const options = [...SERVER, '--token-from', 'aws-ssm:/k8s/join', '--secret-endpoint', 'https://ssm.corp.example']
  expect(await idsOf('aws', options)).toEqual(['BAD_VALUE'])
  const {userdata} = await userdataOf('aws', [...options, '--trust-secret-endpoint', 'ssm.corp.example'])
  expect(userdata).toContain(' --trust-secret-endpoint=ssm.corp.example')
})

it.each([['--token-from'], ['--kubeconfig-from']])('%s has nothing for --inline-secret', async (flag) => {
  const join = flag === '--token-from' ? SERVER : []
  const problems = await refusals(userdataOf('aws', [...join, flag, 'aws-sm:a', '--inline-secret']))
  expect(problems.map(({id}) => id)).toEqual(['CONTRADICTING_FLAGS'])
  expect(problems[0]?.message).toContain(flag)
})

it('a refused name of a secret is shown, a password is not', async () => {
  const messageOf = async (source: string) =>
    (await refusals(userdataOf('azure', [...SERVER, '--token-from', source])))[0]?.message
  expect(await messageOf('azure-kv:abc@my-vault/k8s-join')).toContain('"azure-kv:abc@my-vault/k8s-join"')
  for (const source of ['azure-kv:hunter2@my-vault', 'azure-kv:hunter:2@my-vault/join', 'bob:hunter2@my-vault/join'])
    expect(await messageOf(source)).not.toContain('hunter')
})

it('what Azure runs is a command line: no token is in it', async () => {
  const [problem] = await refusals(userdataOf('azure', [...SERVER, '--token', TOKEN, '--inline-secret']))
  expect(problem).toMatchObject({id: 'USERDATA_SECRET'})
  expect(problem?.fix).toContain('azure-kv:')
  expect(problem?.fix).not.toContain('--inline-secret')
})

it.each(['openstack', 'vsphere'])('%s has no secret store, and no fix names one', async (cloud) => {
  const [problem] = await refusals(userdataOf(cloud, [...SERVER, '--token-file', 'token']))
  expect(problem?.fix).toContain('--inline-secret')
  expect(problem?.fix).not.toContain('--token-from')
})

describe('secrets', () => {
  /** Each alone, as setup would take it. */
  const SECRET = [
    [...SERVER, '--token', TOKEN],
    [...SERVER, '--token-file', 'token'],
    ['--kubeconfig', 'admin.conf'],
    ['--kubelet-kubeconfig', 'x'],
    ['--kube-proxy-kubeconfig', 'x'],
    ['--flanneld-kubeconfig', 'x'],
  ]

  it.each(SECRET)('%s %s %s %s %s %s are refused', async (...argv) => {
    const options = argv.filter((word) => word !== undefined)
    const problems = await refusals(userdataOf('aws', options))
    expect(problems.map(({id}) => id)).toEqual(['USERDATA_SECRET'])
    for (const {fix, message, reason} of problems) expect(message + reason + fix).not.toContain(TOKEN.slice(7))
  })

  it.each(SECRET.slice(2))('%s %s %s %s are refused with --inline-secret too', async (...argv) => {
    const options = argv.filter((word) => word !== undefined)
    expect(await idsOf('aws', ['--inline-secret', ...options])).toEqual(['USERDATA_SECRET', 'MISSING_FLAG'])
  })

  it('every option that names a local file is embedded, or a secret', () => {
    const local = SETUP_OPTIONS.filter(({flag, path}) => path === true && !(flag in EMBEDDED)).map(({flag}) => flag)
    const tried = SECRET.flat()
      .filter((word) => word.startsWith('--'))
      .concat('--registry-config')
    expect(local.filter((flag) => !tried.includes(`--${flag}`))).toEqual([])
  })

  it.each([
    ['kubeconfig: admin.conf', 'USERDATA_SECRET'],
    ['kubelet:\n  kubeconfig: x', 'USERDATA_SECRET'],
    [`join:\n  server: https://10.0.0.1:6443\n  tokenFile: token\n  caCertHashes: ["${HASH}"]`, 'USERDATA_SECRET'],
    ['nodeName: "-"', 'BAD_VALUE'],
    ['nodeNmae: x', 'CONFIG_UNKNOWN_KEY'],
  ])('the keys of the file of --config are judged as flags: %s', async (text, id) => {
    const problems = await refusals(userdataOf('aws', ['--config', NODE], nodeWith(text)))
    expect(problems.map((one) => one.id)).toEqual([id])
    expect(problems[0]?.message).toContain('node.yaml:')
  })

  it('a private key in the file of --client-ca-file is refused, and a file that is not there', async () => {
    for (const text of [`${CLUSTER_CA}-----BEGIN PRIVATE KEY-----`, '', 'apiVersion: v1\nkind: Config', TOKEN]) {
      expect(await idsOf('aws', ['--client-ca-file', NODE], {[NODE]: text})).toEqual(['BAD_VALUE'])
    }
    // As Windows PowerShell writes it.
    const wide = Buffer.from(`\uFEFF${CLUSTER_CA}-----BEGIN PRIVATE KEY-----`, 'utf16le').toString('latin1')
    expect(await idsOf('aws', ['--client-ca-file', NODE], {[NODE]: wide})).toEqual(['BAD_VALUE'])
    expect(await idsOf('aws', ['--client-ca-file', NODE])).toEqual(['BAD_VALUE'])
    expect(await idsOf('aws', ['--client-ca-file', NODE], {[NODE]: 'x'.repeat(70_000)})).toEqual(['BAD_VALUE'])
  })

  it('a bootstrap token in a value of the file of --config is refused, however it is written', async () => {
    for (const text of [`nodeLabels:\n  note: "${TOKEN}"`, `nodeLabels:\n  note: "\\x61${TOKEN.slice(1)}"`]) {
      const problems = await refusals(userdataOf('openstack', ['--config', NODE], nodeWith(text)))
      expect(problems.map(({id}) => id)).toEqual(['BAD_VALUE'])
      for (const {fix, message, reason} of problems) expect(message + reason + fix).not.toContain(TOKEN.slice(7))
      const inline = [...SERVER, '--token', TOKEN, '--inline-secret', '--config', NODE]
      expect(await idsOf('openstack', inline, nodeWith(text))).toEqual(['BAD_VALUE'])
    }

    const host = nodeWith('images:\n  registry: mirror.internalregistry.com')
    expect(await idsOf('openstack', ['--config', NODE], host)).toEqual([])
  })

  it('review A3-5: nothing of the file of --config is embedded but what setup reads in it', async () => {
    const text = `# of Jane, ${TOKEN}, -----BEGIN PRIVATE KEY-----\nnodeLabels: &jane\n  note: "x" # who is on call\nrelease: 1.36.4`
    const {userdata} = await userdataOf('openstack', ['--config', NODE], nodeWith(text))
    const [, encoded = ''] = /echo ([\w+/]{60,}=*)$/m.exec(userdata.replaceAll('\r', '')) ?? []
    expect(Buffer.from(encoded, 'base64').toString()).toMatchInlineSnapshot(`
      "apiVersion: "k8s-win/v1"
      kind: "NodeConfig"
      nodeLabels:
        note: "x"
      release: "1.36.4"
      "
    `)
  })

  it('of several the warning names who can read them', async () => {
    const {warnings} = await userdataOf('gce', [...SERVER, '--token', TOKEN, '--inline-secret'])
    expect(warnings[0]).toContain('compute.instances.get')
  })
})

it('everything that is wrong is reported at once', async () => {
  const argv = [
    'aws',
    '--format',
    'cse',
    '--program-url',
    'x',
    '--kubeconfig',
    'x',
    '--node-ip',
    'x',
    '--launcher',
    'ssm',
  ]
  const found = (await refusals(userdataFor([...argv, '--interface-name', 'a"b']))).map(({id}) => id)
  expect(found.sort()).toEqual([
    'BAD_CHOICE',
    'BAD_CHOICE',
    'BAD_VALUE',
    'BAD_VALUE',
    'MISSING_FLAG',
    'USERDATA_SECRET',
    'USERDATA_UNQUOTABLE',
  ])
})

it('a missing cloud is asked for as an argument', async () => {
  const [problem, ...others] = await refusals(userdataFor([]))
  expect(problem).toMatchObject({id: 'MISSING_CLOUD'})
  expect(problem?.fix).toContain('k8s-win userdata aws')
  expect(others.map(({id}) => id)).toEqual(['MISSING_FLAG', 'MISSING_FLAG'])
})

it.each([['digitalocean'], ['aws gce'], ['AWS']])('no cloud: %s', async (...argv) => {
  const found = (await refusals(userdataFor(argv))).map(({id}) => id)
  expect(found).toEqual(['BAD_CHOICE', 'MISSING_FLAG', 'MISSING_FLAG'])
})

it.each(['sha256:abc', 'abc', `sha512:${'a'.repeat(64)}`, `SHA256:${'g'.repeat(64)}`])(
  'no digest: %s',
  async (given) => {
    const argv = ['gce', '--program-url', 'https://example.com/k8s-win.exe', '--program-digest', given]
    expect((await refusals(userdataFor(argv))).map(({id}) => id)).toEqual(['BAD_VALUE'])
  },
)

it.each(['dry-run', 'detach', 'reset', 'report'])('--%s makes no sense there', async (flag) => {
  expect(OPTIONS.map((option) => option.flag)).toContain(flag)
  const argv = flag === 'report' ? ['--report', 'x.html'] : [`--${flag}`]
  expect(await idsOf('aws', argv)).toEqual(['UNKNOWN_FLAG'])
})

it('a launcher that the cloud does not have is refused', async () => {
  expect(await userdataOf('aws', ['--launcher', 'ec2launch-v1'])).toMatchObject({launcher: 'ec2launch-v1'})
  expect(await idsOf('aws', ['--launcher', 'cloudbase-init'])).toEqual(['BAD_CHOICE'])
  expect(await idsOf('gce', ['--launcher', 'nonsense'])).toEqual(['BAD_VALUE'])
  const {userdata} = await userdataOf('openstack', ['--format', 'cloud-config', '--launcher', 'none'])
  expect(userdata).toContain(' --launcher=none --allow-restart"')
  expect(userdata).not.toMatch(/100[23]/)
  expect((await userdataOf('gce', ['--no-allow-restart'])).userdata).not.toContain('--allow-restart')
})

it.each([
  ['gce', []],
  ['aws', ['--launcher', 'ec2launch-v1']],
])('%s: the file of --config decides whether Windows may be restarted', async (cloud, options) => {
  const made = (text: string) => userdataOf(cloud, ['--config', NODE, ...options], nodeWith(text))
  expect((await made('nodeName: a')).userdata).toContain(' --allow-restart ')
  expect((await made('allowRestart: false')).userdata).not.toContain('--allow-restart')
})

it('variables of this machine are not handed on', async () => {
  process.env['K8S_WIN_NODE_NAME'] = 'this-machine'
  process.env['K8S_WIN_TOKEN'] = TOKEN
  try {
    const {userdata} = await userdataOf('aws', ['--node-label', 'a=b'])
    expect(userdata).not.toContain('this-machine')
    expect(userdata).not.toContain(TOKEN)
  } finally {
    delete process.env['K8S_WIN_NODE_NAME']
    delete process.env['K8S_WIN_TOKEN']
  }
})
