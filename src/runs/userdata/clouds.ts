// What each cloud's launcher takes, and who can read it.
import type {Launcher} from '../../config/launchers.js'
import type {SecretService} from '../../config/model.js'
import type {UserdataCloud, UserdataFormat} from '../../config/options/userdata-options.js'

export interface CloudRow {
  /** The script runs at every start of Windows, also on a node that was changed meanwhile. */
  readonly everyStart?: true
  /** The first is the default. */
  readonly formats: readonly UserdataFormat[]
  /** The volume of --iso by its label, with which cloudbase-init finds it. */
  readonly iso?: 'cidata' | 'config-2'
  /** The first is the default. */
  readonly launchers: readonly [Launcher, ...Launcher[]]
  /** In characters of what is printed; undefined where no limit is known. */
  readonly limit?: number
  /** What is printed is a command line, which every process can read: a token never belongs there. */
  readonly isCommandLine?: true
  readonly readers: string
  /** Whose secrets its machines can fetch. */
  readonly stores: readonly SecretService[]
}

/** As long as cmd.exe takes a line (8191), less what the paths of its variables may need more than their names. */
export const LONGEST_LINE = 8000

/** cloudbase-init takes the same wherever it finds it (docs/userdata.md#cloudbase-init). */
const CLOUDBASE = ['script', 'cloud-config', 'multipart'] as const
/** The last: where cloudbase-init may not restart Windows (allow_reboot=false, init.py), k8s-win does. */
const CLOUDBASE_LAUNCHERS = ['cloudbase-init', 'none'] as const
const LOG = "and whoever can read cloudbase-init's log, if its configuration has debug=true"

export const USERDATA_ROWS: Readonly<Record<UserdataCloud, CloudRow>> = {
  aws: {
    formats: ['script'],
    launchers: ['ec2launch', 'ec2launch-v1'],
    // docs.aws.amazon.com, "Run commands when you launch an EC2 instance with user data input": 16 KB before base64.
    limit: 16_384,
    readers:
      'every process on the instance (metadata service), and everyone who is allowed ec2:DescribeInstanceAttribute',
    stores: ['aws-ssm', 'aws-sm'],
  },
  azure: {
    formats: ['cse'],
    launchers: ['azure-cse'],
    limit: LONGEST_LINE,
    isCommandLine: true,
    readers: 'every user of the virtual machine (process command lines, and the script in %ProgramFiles%\\k8s-win)',
    stores: ['azure-kv'],
  },
  gce: {
    // GoogleCloudPlatform/guest-agent, google_metadata_script_runner/main.go.
    everyStart: true,
    formats: ['script'],
    launchers: ['none'],
    // cloud.google.com, "About VM metadata": 256 KB per value.
    limit: 262_144,
    readers: 'every process on the instance (metadata server), and everyone who is allowed compute.instances.get',
    stores: ['gcp-sm'],
  },
  hyperv: {
    formats: CLOUDBASE,
    iso: 'cidata',
    launchers: CLOUDBASE_LAUNCHERS,
    readers: `whoever can read the volume or its file, every process on the host among them, ${LOG}`,
    stores: [],
  },
  openstack: {
    formats: CLOUDBASE,
    iso: 'config-2',
    launchers: CLOUDBASE_LAUNCHERS,
    // nova/api/validation/parameter_types.py: maxLength 65535 of the base64 text.
    limit: 49_149,
    readers: `every process on the instance (metadata service or config drive), administrators of OpenStack, ${LOG}`,
    stores: [],
  },
  vsphere: {
    formats: ['guestinfo', ...CLOUDBASE],
    iso: 'cidata',
    launchers: CLOUDBASE_LAUNCHERS,
    // No limit for Windows is documented: what VMware Tools are known to take in one value.
    limit: 65_535,
    readers: `every process on the virtual machine (VMware Tools), everyone who can read its configuration in vCenter, ${LOG}`,
    stores: [],
  },
}

/** Programs that run user data. */
type Starter = Exclude<Launcher, 'none' | 'ssm'> | 'gce'

/** The one that runs the script, also where setup knows of none. */
export function starterOf(cloud: UserdataCloud, launcher: Launcher): Starter {
  if (cloud === 'gce') return 'gce'
  return (launcher === 'none' ? USERDATA_ROWS[cloud].launchers[0] : launcher) as Starter
}
