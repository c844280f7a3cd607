// Exit 3: the host does not qualify. Nothing was changed.
import {defineError} from './define.js'
import {pasted, pastedPath} from './pasted.js'

export const notWindows = defineError<{platform: string}>('NOT_WINDOWS', 3, {
  cause: (p) => `This is ${p.platform}; a Windows node requires Windows Server.`,
  fix: 'Run it on Windows Server, or rehearse it here with --simulate ws2019.',
  message: 'This machine is not Windows',
})

export const nodeNot64Bit = defineError<{architecture: string; program: string}>('NODE_NOT_64_BIT', 3, {
  cause: (p) => `${p.program} is built for ${p.architecture}, and k8s-win calls Windows with structures of 64-bit x64.`,
  fix: 'Install Node.js for Windows x64 and run the same command with it.',
  message: (p) => `This Node.js is built for ${p.architecture}`,
})

export const notAdministrator = defineError<Record<never, string>>('NOT_ADMINISTRATOR', 3, {
  cause: 'The services, networks and files of a node are accessible to administrators only.',
  fix: 'Open the console with "Run as administrator" and run the same command again.',
  message: 'Administrator rights are required',
})

export const windowsUnsupported = defineError<{
  advice: string
  build: string
  product: string
  reason: string
  release: string
}>('WINDOWS_UNSUPPORTED', 3, {
  cause: (p) => `${p.product} is build ${p.build}: ${p.reason}.`,
  fix: (p) => p.advice,
  message: (p) => `Kubernetes ${p.release} and this Windows are not compatible`,
})

export const flannelUnsupported = defineError<{reason: string; version: string}>('FLANNEL_UNSUPPORTED', 3, {
  cause: (p) => `On Windows ${p.reason}.`,
  fix: 'Pass another version to --flannel-version, or omit the option.',
  message: (p) => `flannel ${p.version} does not run on Windows`,
})

export const baseDirMissing = defineError<{path: string}>('BASE_DIR_MISSING', 3, {
  cause: 'Setup creates it only if --kubeconfig or --server is given; otherwise the kubeconfig must already be in it.',
  fix: (p) =>
    `Pass --kubeconfig <file>, or --server to join with a token, or create ${p.path} and copy the kubeconfig to it.`,
  message: (p) => `The base directory ${p.path} does not exist`,
})

export const baseDirNotFolder = defineError<{kind: string; path: string}>('BASE_DIR_NOT_FOLDER', 3, {
  cause: (p) => `It is a ${p.kind}.`,
  fix: 'Pass another folder to --base-dir, or move the existing file.',
  message: (p) => `The base directory ${p.path} is not a folder`,
})

export const baseDirWithDocker = defineError<{dataRoot: string; path: string}>('BASE_DIR_WITH_DOCKER', 3, {
  cause: (p) =>
    `Docker keeps its images and containers in ${p.dataRoot}, whose access control list must not be changed.`,
  fix: 'Pass a folder to --base-dir that neither contains the folder of Docker nor is in it.',
  message: (p) => `The base directory ${p.path} and Docker's folder overlap`,
})

export const driveMissing = defineError<{drive: string}>('DRIVE_MISSING', 3, {
  cause: 'The drive does not exist on this host.',
  fix: 'Pass a folder on an existing drive to --base-dir.',
  message: (p) => `Drive ${p.drive} cannot be used`,
})

export const interfaceMissing = defineError<{adapters: string; name: string}>('INTERFACE_MISSING', 3, {
  cause: (p) => `There is neither "vEthernet (${p.name})" nor "${p.name}". There are: ${p.adapters}.`,
  fix: 'Pass one of these to --interface-name.',
  message: (p) => `Network adapter not found: "${p.name}"`,
})

export const interfaceAmbiguous = defineError<{adapters: string; why: string}>('INTERFACE_AMBIGUOUS', 3, {
  cause: (p) => `${p.why} There are: ${p.adapters}.`,
  fix: 'Pass the adapter that the other nodes can reach to --interface-name.',
  message: 'Cannot choose a network adapter',
})

export const interfaceWithoutAddress = defineError<{addresses: string; name: string}>('INTERFACE_WITHOUT_ADDRESS', 3, {
  cause: (p) => `It has ${p.addresses}; Windows assigns 169.254 addresses itself if it gets no other.`,
  fix: 'Assign an address to the adapter (static or DHCP), or pass another adapter to --interface-name.',
  message: (p) => `The network adapter "${p.name}" has no usable IPv4 address`,
})

export const nodeAddressElsewhere = defineError<{address: string; adapters: string; name: string}>(
  'NODE_IP_ELSEWHERE',
  3,
  {
    cause: (p) => `There are: ${p.adapters}.`,
    fix: 'Pass an address of that adapter to --node-ip, or the adapter with that address to --interface-name.',
    message: (p) => `The address ${p.address} does not belong to the adapter "${p.name}"`,
  },
)

export const nodeNameInvalid = defineError<{name: string}>('NODE_NAME_INVALID', 3, {
  cause: 'A node name must consist of lower-case letters, digits, "-" and ".".',
  fix: 'Pass a valid name to --node-name, or rename the computer.',
  message: (p) => `The computer's name "${p.name}" is not a valid node name`,
})

export const dockerAbsent = defineError<{pipe: string}>('DOCKER_ABSENT', 3, {
  cause: 'The service docker does not exist.',
  fix: 'Install Docker (Mirantis Container Runtime or Docker Engine for Windows), restart if asked, and run the same command again.',
  message: (p) => `Docker is not installed (nothing is listening on ${p.pipe})`,
})

export const dockerStopped = defineError<{pipe: string; reason: string}>('DOCKER_STOPPED', 3, {
  cause: (p) => `Nothing responds on ${p.pipe}: ${p.reason}.`,
  fix: 'Start the service: run "net start docker". If it stops again, check the Application event log.',
  message: 'Docker is not running',
})

export const dockerLinuxMode = defineError<{os: string}>('DOCKER_LINUX_MODE', 3, {
  cause: (p) => `The engine runs ${p.os} containers.`,
  fix: String.raw`Switch Docker to Windows containers ("C:\Program Files\Docker\Docker\DockerCli.exe" -SwitchWindowsEngine) and run the same command again.`,
  message: 'Docker is not running Windows containers',
})

export const dockerTooNew = defineError<{minimum: string; release: string; version: string}>('DOCKER_TOO_NEW', 3, {
  cause: (p) => `The kubelet of ${p.release} supports Docker API 1.41, this engine requires at least ${p.minimum}.`,
  fix: 'Install Docker 28 or older (Docker 29 requires 1.44).',
  message: (p) => `Docker ${p.version} is too new for Kubernetes ${p.release}`,
})

export const containerdDowngrade = defineError<{newer: string; older: string; root: string; where: string}>(
  'CONTAINERD_DOWNGRADE',
  3,
  {
    cause: (p) =>
      `containerd ${p.newer} has opened ${p.root}, and an older major version may not be able to use what is in it.`,
    fix: (p) =>
      `Remove ${p.where}: containerd ${p.newer} is kept. To use the older one, run "k8s-win reset --drain --purge", which removes the images and pods of this node, and set it up again.`,
    message: (p) => `${p.where}: containerd ${p.older} cannot replace containerd ${p.newer}`,
  },
)

export const containerdAbsent = defineError<{program: string}>('CONTAINERD_ABSENT', 3, {
  cause: 'It was deleted, by hand or by an antivirus program, or setup has not installed it yet.',
  fix: 'Run "k8s-win setup": it installs it.',
  message: (p) => `${p.program}, which k8s-win uses to query containerd, does not exist`,
})

export const containerdStopped = defineError<{pipe: string; reason: string}>('CONTAINERD_STOPPED', 3, {
  cause: (p) => `Nothing responds on ${p.pipe}: ${p.reason}.`,
  fix: 'Start the service: run "net start containerd". If it stops again, check its log: run "k8s-win logs containerd".',
  message: 'containerd is not running',
})

export const containerdPresent = defineError<{path: string}>('CONTAINERD_PRESENT', 3, {
  cause: (p) =>
    `This node was set up with the containerd of k8s-win, and its service was replaced by one that k8s-win did not create: ${p.path}`,
  fix: String.raw`If nothing on this host needs it, remove it ("net stop containerd", "sc.exe delete containerd"), rename its data ("ren C:\ProgramData\containerd containerd.old") and run the same command again. Otherwise use another host.`,
  message: 'Another containerd is installed on this host',
})

export const pipeTaken = defineError<{pipe: string; said: string}>('PIPE_TAKEN', 3, {
  cause: (p) => `What responds there is not the containerd of k8s-win: ${p.said}.`,
  fix: 'Stop the program that opened the pipe, and run the same command again. If it is another containerd, "tasklist /svc" shows its service beside containerd.exe: stop it with "net stop <service>", or register it under the name containerd, for setup to use it.',
  message: (p) => `The pipe ${p.pipe} belongs to another program`,
})

/** dockerd removes endpoints that it does not know when it starts ("Removing stale HNS endpoint", moby#45462). */
export const dockerBesideContainerd = defineError<{advice: string; release: string}>('DOCKER_BESIDE_CONTAINERD', 3, {
  cause: (p) =>
    `The node of Kubernetes ${p.release} uses containerd, and Docker deletes the network endpoints of its pods whenever Docker starts.`,
  fix: (p) =>
    `Stop and disable Docker ("net stop docker", "sc.exe config docker start= disabled"), then run the same command again.${p.advice}`,
  message: 'Docker is running on a host whose node uses containerd',
})

export const versionUnsupported = defineError<{flag: string; name: string; reason: string; version: string}>(
  'VERSION_UNSUPPORTED',
  3,
  {
    cause: (p) => `With containerd, a newer version is required: ${p.reason}.`,
    fix: (p) => `Pass a newer version to --${p.flag}, or omit the option.`,
    message: (p) => `${p.name} ${p.version} cannot be used`,
  },
)

export const portTaken = defineError<{port: string; protocol: string; user: string}>('PORT_TAKEN', 3, {
  cause: (p) => `${p.user} needs it, and another program is using it.`,
  fix: (p) => `Find the program with "netstat -ano -p ${pasted(p.protocol)}" and stop it.`,
  message: (p) => `Port ${p.port}/${p.protocol} is already in use`,
})

export const foreignService = defineError<{path: string; service: string}>('FOREIGN_SERVICE', 3, {
  cause: (p) => `It was created by another program: ${p.path}`,
  fix: (p) =>
    `Run the same command with --adopt to take it over; or remove it if it is no longer needed ("sc.exe delete ${pasted(p.service)}").`,
  message: (p) => `The service "${p.service}" was not created by k8s-win`,
})

export const nodeElsewhere = defineError<{asked: string; home: string; services: string}>('NODE_ELSEWHERE', 3, {
  cause: (p) =>
    `Its services (${p.services}) run from ${p.home}, and a host can have only one node; requested was ${p.asked}.`,
  fix: (p) =>
    `Pass --base-dir ${pastedPath(p.home)}; or, to have the node in ${p.asked}, first remove it there: 'k8s-win reset --base-dir ${pastedPath(p.home)}'.`,
  message: (p) => `The node of this host is in ${p.home}`,
})

export const containersMissing = defineError<{library?: string}>('CONTAINERS_MISSING', 3, {
  cause: (p) =>
    p.library === undefined
      ? 'Pod networks require it; vmcompute.dll exists, because Hyper-V is installed.'
      : `${p.library} does not exist; it is part of the Windows feature Containers, which pod networks require.`,
  fix: 'Run setup with --enable-features, or run "Install-WindowsFeature Containers"; then restart Windows and run the same command again.',
  message: 'The Windows feature Containers is not installed',
})

export const foreignNetwork = defineError<{id: string; network: string; type: string}>('FOREIGN_NETWORK', 3, {
  cause: (p) => `It is a ${p.type} network that was created by another program, and flanneld would replace it.`,
  fix: (p) =>
    `Run the same command with --adopt to take it over; or remove it if it is no longer needed ("hnsdiag delete networks ${pasted(p.id)}").`,
  message: (p) => `The HNS network "${p.network}" was not created by k8s-win`,
})

export const interfaceDown = defineError<{name: string}>('INTERFACE_DOWN', 3, {
  cause: 'It is disabled, or nothing is connected to it.',
  fix: 'Enable or connect it, or pass another adapter to --interface-name.',
  message: (p) => `The network adapter "${p.name}" is down`,
})

export const foreignRule = defineError<{rule: string}>('FOREIGN_FIREWALL_RULE', 3, {
  cause: 'Its description is not the one that k8s-win sets, and netsh deletes rules by name.',
  fix: (p) =>
    `Run the same command with --adopt to replace it; or rename or remove it ('netsh advfirewall firewall delete rule name=${pastedPath(p.rule)}').`,
  message: (p) => `The firewall rule "${p.rule}" was not created by k8s-win`,
})

/** The extension decides whether it is read. */
function setAside(folder: string, file: string): string {
  const command = `ren ${folder}\\${file} ${file}.off`
  // A path with spaces needs quotes, which a command in quotes cannot have.
  return /^[\w.\\:<> -]+$/.test(command) && !/ /.test(folder + file)
    ? `Run "${command}"`
    : `Rename ${file} in ${folder} to ${file}.off`
}

export const foreignCniConfig = defineError<{file: string; folder: string; reader: string}>('FOREIGN_CNI_CONFIG', 3, {
  cause: (p) => `${p.reader} uses the first file in ${p.folder} by name, which would be this one.`,
  fix: (p) => `${setAside(p.folder, p.file)}, then run the same command again.`,
  message: (p) => `CNI configuration not created by k8s-win: ${p.file}`,
})

/** Before the own file is written, and whenever it is missing, containerd would use the other one. */
export const otherCniConfig = defineError<{file: string; folder: string; own: string}>('OTHER_CNI_CONFIG', 3, {
  cause: (p) =>
    `containerd uses the first file in ${p.folder} by name, and would use this one while ${p.own} is not there: pods would start with a network of another kind.`,
  fix: (p) =>
    p.file.toLowerCase() === 'cni.conf'
      ? 'If this host has a node that was set up with Docker, run "k8s-win reset" to remove it. Otherwise move the file to another folder. Then run the same command again.'
      : `${setAside(p.folder, p.file)}, then run the same command again.`,
  message: (p) => `There is a second CNI configuration: ${p.file}`,
})

/** `process`: its ID; empty where it is not known. */
export const lockHeld = defineError<{holder: string; process: string}>('LOCK_HELD', 11, {
  cause: (p) => p.holder,
  fix: (p) =>
    `Wait until it has finished ("k8s-win attach" shows its progress), then run the same command again. If it hangs, end its process ("taskkill /T /F /PID ${pasted(p.process || '<number>')}"): this releases the lock.`,
  message: 'Another k8s-win is running on this host',
})
