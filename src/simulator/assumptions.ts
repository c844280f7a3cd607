// What the simulated host assumes of Windows and could not be read anywhere, each with the command that would settle it.

export interface Assumption {
  readonly id: string
  /** A command to run on a real Windows Server, and what to look at. */
  readonly settledBy: string
  readonly statement: string
}

export const ASSUMPTIONS: readonly Assumption[] = [
  {
    id: 'vswitch-offline',
    settledBy: 'ping -t <gateway> while flanneld makes its first network; count the lost seconds',
    statement:
      'Making the first HNS network on an adapter cuts its connections for 7 s, and the call blocks for 4 s of them.',
  },
  {
    id: 'vswitch-removed',
    settledBy: 'hnsdiag delete networks <id> for the last overlay network, then Get-NetAdapter and ping -t <gateway>',
    statement:
      'Removing the last network on an adapter takes the switch away: the adapter has its old name and index again, after another cut.',
  },
  {
    id: 'vswitch-adapter-list',
    settledBy: 'Get-NetIPInterface before and after; GetAdaptersAddresses lists what has an IP interface',
    statement:
      'Under a switch the physical adapter is no longer listed; vEthernet (<name>) with another index is there in its place.',
  },
  {
    id: 'vswitch-shared',
    settledBy: 'New-HnsNetwork -Type overlay twice with the same -AdapterName and two VSIDs',
    statement:
      'A second overlay network that names no adapter, or the physical one, shares the switch; one of another type, or that names the vEthernet, gets 0x803b0006.',
  },
  {
    id: 'hns-refusals',
    settledBy: 'HNSCall POST /networks/ with a name that exists, and GET /nonsense; look at HRESULT and response',
    statement:
      'A refused request has HRESULT 0 and Success false with the code in the text; an unknown path has HRESULT 0x80070057, a stopped service 0x80070426, both without a response.',
  },
  {
    id: 'hns-network-in-use',
    settledBy: 'hnsdiag delete networks <id> while kube-proxy runs; note code and text',
    statement:
      'A network whose endpoints are attached or in a load balancer is not deleted; its code and text are made up (0x803b0018).',
  },
  {
    id: 'hns-restart',
    settledBy: 'net stop hns, net start hns, hnsdiag list all',
    statement:
      'A restart of HNS drops all policy lists and the networks that are not persistent, with their endpoints.',
  },
  {
    id: 'kubeproxy-source-vip-outside',
    settledBy: 'kube-proxy with --source-vip outside the pod CIDR; log and http://127.0.0.1:10256/healthz',
    statement: 'HNS refuses the endpoint of a source VIP outside the subnet, so that kube-proxy never becomes healthy.',
  },
  {
    id: 'scm-exit-before-connect',
    settledBy: 'sc.exe start of a service whose program ends at once, and sc.exe query after it',
    statement:
      'A program that ends before it connects makes StartService fail with 1053 at once, and 1053 is what the service then shows.',
  },
  {
    id: 'scm-silent-process',
    settledBy: 'sc.exe create x binPath= notepad.exe, sc.exe start x, tasklist after 30 s',
    statement: 'A program that does not connect within 30 s is ended by the service manager.',
  },
  {
    id: 'flanneld-backends',
    settledBy: 'flanneld.exe with Backend.Type host-gw',
    statement: 'Only the vxlan backend is simulated; any other type ends flanneld as an unknown one does.',
  },
  {
    id: 'klog-user',
    settledBy: 'dir C:\\k\\logs\\kubelet after the kubelet ran as LocalSystem outside a domain',
    statement: 'The user in the names of klog files of a service is WORKGROUP_<computer>$.',
  },
]
