// Exit 3: the host does not qualify. Nothing was changed.
import {defineError, defineTransientError, pasted} from './define.js'

export const notWindows = defineError('NOT_WINDOWS', 3, {
  cause: 'This is {platform}; a Windows node requires Windows Server.',
  fix: 'Run it on Windows Server, or rehearse it here with --simulate ws2025.',
  message: 'This machine is not Windows',
})

export const nodeNot64Bit = defineError('NODE_NOT_64_BIT', 3, {
  cause: '{program} is built for {architecture}, and k8s-win calls Windows with structures of 64-bit x64.',
  fix: 'Install Node.js for Windows x64 and run the same command with it.',
  message: 'This Node.js is built for {architecture}',
})

export const notAdministrator = defineError('NOT_ADMINISTRATOR', 3, {
  cause: 'The services, networks and files of a node are accessible to administrators only.',
  fix: 'Open the console with "Run as administrator" and run the same command again.',
  message: 'Administrator rights are required',
})

export const windowsUnsupported = defineError('WINDOWS_UNSUPPORTED', 3, {
  cause: '{product} is build {build}: {reason}.',
  fix: '{advice}',
  message: 'Kubernetes {release} and this Windows are not compatible',
})

export const flannelUnsupported = defineError('FLANNEL_UNSUPPORTED', 3, {
  cause: 'On Windows {reason}.',
  fix: 'Pass another version to --flannel-version, or omit the option.',
  message: 'flannel {version} does not run on Windows',
})

export const nodeIsACopy = defineError('NODE_IS_A_COPY', 3, {
  cause:
    'Setup stored the configuration of the node on {original}, and this machine is {copy}. A copy has the certificates and the name of the original, and both would be one node of the cluster.',
  fix: 'Run "k8s-win reset", then set up this host as another node: its own name, and a token or a kubeconfig of its own. If this is the same node, restored from a backup or moved, run "k8s-win setup --ignore-check node-copy", which stores the new UUID.',
  message: 'This host is a copy of another node',
})

export const baseDirMissing = defineError('BASE_DIR_MISSING', 3, {
  cause:
    'Setup creates it only if --kubeconfig, --kubeconfig-from or --server is given; otherwise the kubeconfig must already be in it.',
  fix: 'Pass --kubeconfig <file>, or --server to join with a token, or create {path} and copy the kubeconfig to it.',
  message: 'The base directory {path} does not exist',
})

export const baseDirNotFolder = defineError('BASE_DIR_NOT_FOLDER', 3, {
  cause: 'It is a {kind}.',
  fix: 'Pass another folder to --base-dir, or move the existing file.',
  message: 'The base directory {path} is not a folder',
})

export const baseDirWithDocker = defineError('BASE_DIR_WITH_DOCKER', 3, {
  cause: 'Docker keeps its images and containers in {dataRoot}, whose access control list must not be changed.',
  fix: 'Pass a folder to --base-dir that neither contains the folder of Docker nor is in it.',
  message: "The base directory {path} and Docker's folder overlap",
})

export const driveMissing = defineError('DRIVE_MISSING', 3, {
  cause: 'The drive does not exist on this host.',
  fix: 'Pass a folder on an existing drive to --base-dir.',
  message: 'Drive {drive} cannot be used',
})

export const interfaceMissing = defineError('INTERFACE_MISSING', 3, {
  cause: 'There is neither "vEthernet ({name})" nor "{name}". There are: {adapters}.',
  fix: 'Pass one of these to --interface-name.',
  message: 'Network adapter not found: "{name}"',
})

export const interfaceAmbiguous = defineError('INTERFACE_AMBIGUOUS', 3, {
  cause: '{why} There are: {adapters}.',
  fix: 'Pass the adapter that the other nodes can reach to --interface-name.',
  message: 'Cannot choose a network adapter',
})

export const interfaceWithoutAddress = defineTransientError('INTERFACE_WITHOUT_ADDRESS', 3, {
  cause: 'It has {addresses}; Windows assigns 169.254 addresses itself if it gets no other.',
  fix: 'Assign an address to the adapter (static or DHCP), or pass another adapter to --interface-name.',
  message: 'The network adapter "{name}" has no usable IPv4 address',
})

export const nodeAddressElsewhere = defineError('NODE_IP_ELSEWHERE', 3, {
  cause: 'There are: {adapters}.',
  fix: 'Pass an address of that adapter to --node-ip, or the adapter with that address to --interface-name.',
  message: 'The address {address} does not belong to the adapter "{name}"',
})

export const nodeNameInvalid = defineError('NODE_NAME_INVALID', 3, {
  cause: 'A node name must consist of lower-case letters, digits, "-" and ".".',
  fix: 'Pass a valid name to --node-name, or rename the computer.',
  message: `The computer's name "{name}" is not a valid node name`,
})

export const dockerAbsent = defineError('DOCKER_ABSENT', 3, {
  cause: 'The service docker does not exist.',
  fix: 'Install Docker (Mirantis Container Runtime or Docker Engine for Windows), restart if asked, and run the same command again.',
  message: 'Docker is not installed (nothing is listening on {pipe})',
})

export const dockerStopped = defineTransientError('DOCKER_STOPPED', 3, {
  cause: 'Nothing responds on {pipe}: {reason}.',
  fix: 'Start the service: run "net start docker". If it stops again, check the Application event log.',
  message: 'Docker is not running',
})

export const dockerLinuxMode = defineError('DOCKER_LINUX_MODE', 3, {
  cause: 'The engine runs {os} containers.',
  fix: 'Switch Docker to Windows containers (in cmd.exe: "C:\\Program Files\\Docker\\Docker\\DockerCli.exe" -SwitchWindowsEngine) and run the same command again.',
  message: 'Docker is not running Windows containers',
})

export const dockerTooNew = defineError('DOCKER_TOO_NEW', 3, {
  cause: 'The kubelet of {release} supports Docker API 1.41, this engine requires at least {minimum}.',
  fix: 'Install Docker 28 or older (Docker 29 requires 1.44).',
  message: 'Docker {version} is too new for Kubernetes {release}',
})

export const containerdDowngrade = defineError('CONTAINERD_DOWNGRADE', 3, {
  cause: 'containerd {newer} has opened {root}, and an older major version may not be able to use what is in it.',
  fix: 'Remove {where}: containerd {newer} is kept. To use the older one, run "k8s-win reset --drain --purge", which removes the images and pods of this node, and set it up again.',
  message: '{where}: containerd {older} cannot replace containerd {newer}',
})

export const containerdAbsent = defineError('CONTAINERD_ABSENT', 3, {
  cause: 'It was deleted, by hand or by an antivirus program, or setup has not installed it yet.',
  fix: 'Run "k8s-win setup": it installs it.',
  message: '{program}, which k8s-win uses to query containerd, does not exist',
})

export const containerdStopped = defineError('CONTAINERD_STOPPED', 3, {
  cause: 'Nothing responds on {pipe}: {reason}.',
  fix: 'Start the service: run "net start containerd". If it stops again, check its log: run "k8s-win logs containerd".',
  message: 'containerd is not running',
})

export const containerdPresent = defineError('CONTAINERD_PRESENT', 3, {
  cause:
    'This node was set up with the containerd of k8s-win, and its service was replaced by one that k8s-win did not create: {path}',
  fix: 'If nothing on this host needs it, remove it ("net stop containerd", "sc.exe delete containerd"), rename its data ("ren C:\\ProgramData\\containerd containerd.old") and run the same command again. Otherwise use another host.',
  message: 'Another containerd is installed on this host',
})

export const pipeTaken = defineError('PIPE_TAKEN', 3, {
  cause: 'What responds there is not the containerd of k8s-win: {said}.',
  fix: 'Stop the program that opened the pipe, and run the same command again. If it is another containerd, "tasklist /svc" shows its service beside containerd.exe: stop it with "net stop <service>", or register it under the name containerd, for setup to use it.',
  message: 'The pipe {pipe} belongs to another program',
})

/** dockerd removes endpoints that it does not know when it starts ("Removing stale HNS endpoint", moby#45462). */
export const dockerBesideContainerd = defineError('DOCKER_BESIDE_CONTAINERD', 3, {
  cause:
    'The node of Kubernetes {release} uses containerd, and Docker deletes the network endpoints of its pods whenever Docker starts.',
  fix: 'Stop and disable Docker ("net stop docker", "sc.exe config docker start= disabled"), then run the same command again.{advice}',
  message: 'Docker is running on a host whose node uses containerd',
})

export const versionUnsupported = defineError('VERSION_UNSUPPORTED', 3, {
  cause: 'With containerd, a newer version is required: {reason}.',
  fix: 'Pass a newer version to --{flag}, or omit the option.',
  message: '{name} {version} cannot be used',
})

export const portTaken = defineError('PORT_TAKEN', 3, {
  cause: (p: {owner: string | undefined; user: string}) =>
    `${p.user} needs it, and ${p.owner ?? 'another program'} is using it.`,
  fix: 'Stop that program ("netstat -ano -p {protocol:word}" lists ports with their PID, "tasklist /svc" the services of a PID), then run the same command again.',
  message: 'Port {port}/{protocol} is already in use',
})

export const foreignService = defineError('FOREIGN_SERVICE', 3, {
  cause: 'It was created by another program: {path}',
  fix: 'Run setup with --adopt to take it over; or remove it if it is no longer needed ("sc.exe delete {service:word}").',
  message: 'The service "{service}" was not created by k8s-win',
})

export const nodeElsewhere = defineError('NODE_ELSEWHERE', 3, {
  cause: 'Its services ({services}) run from {home}, and a host can have only one node; requested was {asked}.',
  fix: "Pass --base-dir {home:path}; or, to have the node in {asked}, first remove it there: 'k8s-win reset --base-dir {home:path}'.",
  message: 'The node of this host is in {home}',
})

export const containersMissing = defineError('CONTAINERS_MISSING', 3, {
  cause: (p: {library?: string}) =>
    p.library === undefined
      ? 'Pod networks require it; vmcompute.dll exists, because Hyper-V is installed.'
      : `${p.library} does not exist; it is part of the Windows feature Containers, which pod networks require.`,
  fix: 'Run setup with --enable-features, or run "Install-WindowsFeature Containers" in PowerShell; then restart Windows and run the same command again.',
  message: 'The Windows feature Containers is not installed',
})

export const foreignNetwork = defineError('FOREIGN_NETWORK', 3, {
  cause: 'It is a {type} network that was created by another program, and flanneld would replace it.',
  fix: 'Run setup with --adopt to take it over; or remove it if it is no longer needed ("hnsdiag delete networks {id:word}").',
  message: 'The HNS network "{network}" was not created by k8s-win',
})

export const interfaceDown = defineError('INTERFACE_DOWN', 3, {
  cause: 'It is disabled, or nothing is connected to it.',
  fix: 'Enable or connect it, or pass another adapter to --interface-name.',
  message: 'The network adapter "{name}" is down',
})

export const foreignRule = defineError('FOREIGN_FIREWALL_RULE', 3, {
  cause: 'Its description is not the one that k8s-win sets, and netsh deletes rules by name.',
  fix: "Run setup with --adopt to replace it; or rename or remove it ('netsh advfirewall firewall delete rule name={rule:path}').",
  message: 'The firewall rule "{rule}" was not created by k8s-win',
})

/** The extension decides whether it is read. */
function setAside(folder: string, file: string): string {
  const command = `ren ${folder}\\${file} ${file}.off`
  // A path with spaces needs quotes, which a command in quotes cannot have.
  return /^[\w.\\:<> -]+$/.test(command) && !/ /.test(folder + file)
    ? `Run "${command}"`
    : `Rename ${file} in ${folder} to ${file}.off`
}

export const foreignCniConfig = defineError('FOREIGN_CNI_CONFIG', 3, {
  cause: '{reader} uses the first file in {folder} by name, which would be this one.',
  fix: (p: {file: string; folder: string}) => `${setAside(p.folder, p.file)}, then run the same command again.`,
  message: 'CNI configuration not created by k8s-win: {file}',
})

/** Before the own file is written, and whenever it is missing, containerd would use the other one. */
export const otherCniConfig = defineError('OTHER_CNI_CONFIG', 3, {
  cause:
    'containerd uses the first file in {folder} by name, and would use this one while {own} is not there: pods would start with a network of another kind.',
  fix: (p: {file: string; folder: string}) =>
    p.file.toLowerCase() === 'cni.conf'
      ? 'If this host has a node that was set up with Docker, run "k8s-win reset" to remove it. Otherwise move the file to another folder. Then run the same command again.'
      : `${setAside(p.folder, p.file)}, then run the same command again.`,
  message: 'There is a second CNI configuration: {file}',
})

/** `process`: its ID; empty where it is not known. */
export const lockHeld = defineError('LOCK_HELD', 11, {
  cause: '{holder}',
  fix: (p: {process: string}) =>
    `Wait until it has finished ("k8s-win attach" shows its progress), then run the same command again. If it hangs, end its process ("taskkill /T /F /PID ${pasted(p.process || '<number>')}"): this releases the lock.`,
  message: 'Another k8s-win is running on this host',
})

export const watchRunning = defineError('WATCH_RUNNING', 11, {
  cause: 'A host is watched by one process: two of them would repair the same things twice.',
  fix: 'Leave it to the service: "sc.exe query k8s-win" shows it.',
  message: 'Another k8s-win watches this host',
})

/** A containerd that was on the host before lacks something that a node needs. */
export const containerdUnfit = defineError('CONTAINERD_UNFIT', 3, {
  cause: '{reasons}',
  fix: '{changes} Then run the same command again.',
  message: 'The containerd of this host cannot be used as it is',
})

export const credentialProviderUnusable = defineError('CREDENTIAL_PROVIDER_UNUSABLE', 3, {
  cause: '{reason}',
  fix: 'Correct --kubelet-arg {flag}. docs/registries.md has an example.',
  message: 'The credential provider of the kubelet cannot be used: {flag}={path}',
})

export const registryConfigForeign = defineError('REGISTRY_CONFIG_FOREIGN', 3, {
  cause: 'This containerd was installed before k8s-win, which does not change how it reaches registries.',
  fix: 'Remove --registry-config. Put the files into the folder that config_path in {config} names.',
  message: '--registry-config cannot be used with the containerd that is installed on this host',
})

export const containerdChanged = defineError('CONTAINERD_CHANGED', 3, {
  cause: 'Since it was checked: {changes}.',
  fix: 'If that is intended, drain the node, run "k8s-win reset" and then "k8s-win setup". Otherwise restore its former configuration, restart it, and run the same command again.',
  message: 'The containerd of this host is not the one that the node was set up with',
})

export const flagUnknown = defineError('FLAG_UNKNOWN', 3, {
  cause:
    'k8s-win does not know the flags of this version, and the program, whose bytes are verified, does not list it. Nothing else was changed.',
  fix: (p: {suggestion: string}) =>
    p.suggestion === '' ? 'Remove it.' : `Did you mean ${p.suggestion}? Otherwise, remove it.`,
  message: '{where}: flanneld {version} has no flag {flags}',
})
