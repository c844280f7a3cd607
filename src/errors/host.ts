// Exit 3: the host does not qualify. Nothing was changed.
import {defineError} from './define.js'

export const notWindows = defineError<{platform: string}>('NOT_WINDOWS', 3, {
  cause: (p) => `This is ${p.platform}; a Windows node needs a Windows Server.`,
  fix: 'Run it on Windows Server, or rehearse it here with --simulate ws2019.',
  message: 'This machine is not Windows',
})

export const nodeNot64Bit = defineError<{architecture: string; program: string}>('NODE_NOT_64_BIT', 3, {
  cause: (p) => `${p.program} is built for ${p.architecture}, and k8s-win calls Windows with structures of 64-bit x64.`,
  fix: 'Install Node.js for Windows x64 and run the same command with it.',
  message: (p) => `This Node.js is built for ${p.architecture}`,
})

export const notAdministrator = defineError<Record<never, string>>('NOT_ADMINISTRATOR', 3, {
  cause: 'Services, firewall rules and networks can be made by administrators only.',
  fix: 'Start the console with "Run as administrator" and run the same command again.',
  message: 'You are not running as administrator',
})

export const windowsUnsupported = defineError<{build: string; product: string; reason: string; release: string}>(
  'WINDOWS_UNSUPPORTED',
  3,
  {
    cause: (p) => `${p.product} is build ${p.build}: ${p.reason}.`,
    fix: 'Use Windows Server 2019 (build 17763), or Windows Server 2022 (build 20348) with --release 1.23.17.',
    message: (p) => `Kubernetes ${p.release} and this Windows do not go together`,
  },
)

export const baseDirMissing = defineError<{path: string}>('BASE_DIR_MISSING', 3, {
  cause: 'It is made only where --kubeconfig is given; otherwise the kubeconfig must already be in it.',
  fix: (p) => `Give --kubeconfig <file>, or make ${p.path} and put the kubeconfig there.`,
  message: (p) => `The base directory ${p.path} does not exist`,
})

export const baseDirNotFolder = defineError<{kind: string; path: string}>('BASE_DIR_NOT_FOLDER', 3, {
  cause: (p) => `It is a ${p.kind}.`,
  fix: 'Give --base-dir another folder, or move what is there.',
  message: (p) => `The base directory ${p.path} is not a folder`,
})

export const baseDirWithDocker = defineError<{dataRoot: string; path: string}>('BASE_DIR_WITH_DOCKER', 3, {
  cause: (p) =>
    `Docker keeps its images and containers in ${p.dataRoot}, whose access list must stay as Docker made it.`,
  fix: 'Give --base-dir a folder that is neither in it nor above it.',
  message: (p) => `The base directory ${p.path} and Docker's folder lie in each other`,
})

export const driveMissing = defineError<{drive: string}>('DRIVE_MISSING', 3, {
  cause: 'There is no such drive on this host.',
  fix: 'Give --base-dir a folder on a drive that exists.',
  message: (p) => `Drive ${p.drive} cannot be used`,
})

export const interfaceMissing = defineError<{adapters: string; name: string}>('INTERFACE_MISSING', 3, {
  cause: (p) => `There is neither "vEthernet (${p.name})" nor "${p.name}". There are: ${p.adapters}.`,
  fix: 'Give --interface-name one of these.',
  message: (p) => `There is no network adapter "${p.name}"`,
})

export const interfaceAmbiguous = defineError<{adapters: string; why: string}>('INTERFACE_AMBIGUOUS', 3, {
  cause: (p) => `${p.why} There are: ${p.adapters}.`,
  fix: 'Give --interface-name the one whose address the other nodes reach.',
  message: 'It is not clear which network adapter to use',
})

export const interfaceWithoutAddress = defineError<{addresses: string; name: string}>('INTERFACE_WITHOUT_ADDRESS', 3, {
  cause: (p) => `It has ${p.addresses}; Windows gives itself 169.254 addresses where it got no other.`,
  fix: 'Give the adapter an address (static or by DHCP), or --interface-name another one.',
  message: (p) => `The network adapter "${p.name}" has no usable IPv4 address`,
})

export const nodeAddressElsewhere = defineError<{address: string; adapters: string; name: string}>(
  'NODE_IP_ELSEWHERE',
  3,
  {
    cause: (p) => `There are: ${p.adapters}.`,
    fix: 'Give --node-ip an address of that adapter, or --interface-name the adapter that has it.',
    message: (p) => `The address ${p.address} is not one of the adapter "${p.name}"`,
  },
)

export const nodeNameInvalid = defineError<{name: string}>('NODE_NAME_INVALID', 3, {
  cause: 'Kubernetes takes lower-case letters, digits, "-" and "." in a node name.',
  fix: 'Give --node-name a valid name, or rename the computer.',
  message: (p) => `The computer's name "${p.name}" cannot be a node's name`,
})

export const dockerAbsent = defineError<{pipe: string}>('DOCKER_ABSENT', 3, {
  cause: 'There is no service named docker.',
  fix: 'Install Docker (Mirantis Container Runtime or Docker Engine for Windows), restart if asked, and run the same command again.',
  message: (p) => `Docker is not installed (nobody listens on ${p.pipe})`,
})

export const dockerStopped = defineError<{pipe: string; reason: string}>('DOCKER_STOPPED', 3, {
  cause: (p) => `Nobody answers on ${p.pipe}: ${p.reason}.`,
  fix: 'Start it ("net start docker"); if it does not stay, look at the Application event log.',
  message: 'Docker does not run',
})

export const dockerLinuxMode = defineError<{os: string}>('DOCKER_LINUX_MODE', 3, {
  cause: (p) => `The engine runs ${p.os} containers.`,
  fix: 'Switch Docker to Windows containers and run the same command again.',
  message: 'Docker does not run Windows containers',
})

export const dockerTooNew = defineError<{minimum: string; release: string; version: string}>('DOCKER_TOO_NEW', 3, {
  cause: (p) => `The kubelet of ${p.release} speaks Docker's API 1.41, this engine wants at least ${p.minimum}.`,
  fix: 'Install Docker 28 or older (Docker 29 wants 1.44).',
  message: (p) => `Docker ${p.version} is too new for Kubernetes ${p.release}`,
})

export const portTaken = defineError<{port: string; protocol: string; user: string}>('PORT_TAKEN', 3, {
  cause: (p) => `${p.user} needs it, and another program listens there.`,
  fix: (p) => `Find it with "netstat -ano -p ${p.protocol}" and stop it.`,
  message: (p) => `Port ${p.port}/${p.protocol} is taken`,
})

export const foreignService = defineError<{path: string; service: string}>('FOREIGN_SERVICE', 3, {
  cause: (p) => `It was made by something else: ${p.path}`,
  fix: (p) =>
    `Run the same command with --adopt to take it over; or, if nothing needs it any more, remove it ("sc delete ${p.service}").`,
  message: (p) => `There is a service "${p.service}" that is not ours`,
})

export const nodeElsewhere = defineError<{asked: string; home: string; services: string}>('NODE_ELSEWHERE', 3, {
  cause: (p) =>
    `Its services (${p.services}) run from ${p.home}, and there can be one node on a host; you asked for ${p.asked}.`,
  fix: (p) => `Give --base-dir "${p.home}"; or, to move the node to ${p.asked}, run the same command with --adopt.`,
  message: (p) => `The node of this host lives in ${p.home}`,
})

export const containersMissing = defineError<{library: string}>('CONTAINERS_MISSING', 3, {
  cause: (p) =>
    `${p.library} is not there; it comes with the feature Containers, and so does the host's network for pods.`,
  fix: 'Run "Install-WindowsFeature Containers", restart Windows, and run the same command again.',
  message: "Windows' feature Containers is not installed",
})

export const foreignNetwork = defineError<{id: string; network: string; type: string}>('FOREIGN_NETWORK', 3, {
  cause: (p) => `It is a ${p.type} network that something else made, and flanneld would replace it.`,
  fix: (p) =>
    `Run the same command with --adopt to take it over; or, if nothing needs it any more, remove it ("hnsdiag delete networks ${p.id}").`,
  message: (p) => `There is an HNS network "${p.network}" that is not ours`,
})

export const interfaceDown = defineError<{name: string}>('INTERFACE_DOWN', 3, {
  cause: 'It is disabled, or nothing is connected to it.',
  fix: 'Enable or connect it, or give --interface-name another one.',
  message: (p) => `The network adapter "${p.name}" is down`,
})

export const foreignRule = defineError<{rule: string}>('FOREIGN_FIREWALL_RULE', 3, {
  cause: 'Its description is not ours, and netsh deletes by name.',
  fix: (p) =>
    `Run the same command with --adopt to replace it; or rename or remove it ("netsh advfirewall firewall delete rule name="${p.rule}"").`,
  message: (p) => `There is a firewall rule "${p.rule}" that is not ours`,
})

export const foreignCniConfig = defineError<{file: string; folder: string}>('FOREIGN_CNI_CONFIG', 3, {
  cause: (p) => `The kubelet takes the first file of ${p.folder} in the order of names, and that would be this one.`,
  fix: (p) => `Move ${p.file} away and run the same command again.`,
  message: (p) => `There is a CNI configuration that is not ours: ${p.file}`,
})

export const lockHeld = defineError<{holder: string}>('LOCK_HELD', 11, {
  cause: (p) => p.holder,
  fix: 'Wait until it has ended, then run the same command again. If it hangs, end its process ("taskkill /T /F /PID <number>"): the lock is freed with it.',
  message: 'Another k8s-win is running on this host, and two at once would undo each other',
})
