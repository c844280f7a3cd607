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
      'A second overlay network that names no adapter, or the physical one, shares the switch; one of another type gets 0x803b0006.',
  },
  {
    id: 'hns-refusals',
    settledBy: 'HNSCall POST /networks/ with a name that exists, and GET /nonsense; look at HRESULT and response',
    statement:
      'A refusal that has an HRESULT has its JSON answer beside it; an unknown path has HRESULT 0x80070057 and no answer.',
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
    id: 'hns-load-balancer-lists',
    settledBy:
      'HNSCall GET /policylists/ while kube-proxy runs: an ELB policy with the ClusterIP of the Service kubernetes among its VIPs, 443 as its ExternalPort, and References to endpoints of the network',
    statement:
      'Load balancers that kube-proxy creates through the second version of the HNS interface are listed as policy lists by the first, one for each port of a Service, with its port as ExternalPort and its endpoints as References (projectcalico/calico#8465 shows it on one host).',
  },
  {
    id: 'scm-exit-before-connect',
    settledBy: 'sc.exe start of a service whose program ends at once, and sc.exe query after it',
    statement: 'A program that ended before it connected leaves 1053 as the code its service shows.',
  },
  {
    id: 'scm-silent-process',
    settledBy: 'sc.exe create x binPath= notepad.exe, sc.exe start x, tasklist after 30 s',
    statement: 'A program that did not connect in time is ended by the service manager.',
  },
  {
    id: 'scm-dependencies',
    settledBy:
      'sc.exe create b depend= a, sc.exe start b, sc.exe query a, sc.exe stop a while b runs, sc.exe enumdepend a',
    statement:
      'A start starts first what the service depends on, or is refused with 1068; nothing is stopped under a running dependent (1051).',
  },
  {
    id: 'scm-environment',
    settledBy: String.raw`reg add HKLM\SYSTEM\CurrentControlSet\Services\x /v Environment /t REG_MULTI_SZ /d A=b, sc.exe start x, and the environment of its process`,
    statement: "The value Environment of a service's key is added to the environment of its process.",
  },
  {
    id: 'scm-failure-actions',
    settledBy:
      'sc.exe failure x reset= 86400 actions= restart/5000, taskkill /F /PID <its process>, sc.exe queryex x after 10 s',
    statement:
      'A service whose process was killed shows 1067, and runs again after the first delay of its failure actions.',
  },
  {
    id: 'scm-restart-pending',
    settledBy:
      'sc.exe failure x reset= 86400 actions= restart/5000, taskkill /F /PID <its process>, sc.exe stop x at once, sc.exe query x after 10 s',
    statement: 'A request to stop a service that has just failed is refused (1062), and does not call its restart off.',
  },
  {
    id: 'shawl-stop-between',
    settledBy:
      'sc.exe stop flanneld again and again while its program dies at once, and "sc.exe query flanneld" after each: 0 or 1067',
    statement:
      'Version 1.3 of shawl dies (1067) where it is told to stop in the second between two runs of its program, and then counts as failed.',
  },
  {
    id: 'scm-registry-key',
    settledBy: String.raw`sc.exe create x binPath= C:\Windows\System32\cmd.exe, reg query HKLM\SYSTEM\CurrentControlSet\Services\x`,
    statement:
      'A new service has its command line in the registry as REG_EXPAND_SZ, and no PreshutdownTimeout; Wine does otherwise.',
  },
  {
    id: 'drive-root-access',
    settledBy: String.raw`md C:\x, icacls C:\x, (Get-Acl C:\x).Sddl`,
    statement:
      'A folder at the root of drive C inherits full access for SYSTEM and administrators, and reading and creating for users.',
  },
  {
    id: 'klog-user',
    settledBy: 'dir C:\\k\\logs\\kubelet after the kubelet ran as LocalSystem outside a domain',
    statement: 'The user in the names of klog files of a service is WORKGROUP_<computer>$.',
  },
  {
    id: 'kubelet-flags-edges',
    settledBy:
      'kubelet.exe --help and kube-proxy.exe --help of 1.21, 1.22 and 1.23, compared with src/simulator/daemons',
    statement:
      'The flags of the kubelet and of kube-proxy are those that 1.20.2 has on Windows (recorded), changed by what the changelogs and sources of 1.21 to 1.23 say.',
  },
  {
    id: 'daemon-log-texts',
    settledBy: 'Get-Content of the logs of kubelet, kube-proxy and flanneld after each failure named in their rules',
    statement:
      'Refusals of flags and of the configuration have the words of the real 1.20.2 (recorded); the wording of other log lines, and the source line numbers in all, are written from memory. Nothing is decided from them.',
  },
  {
    id: 'hns-version',
    settledBy: 'HNSCall GET /globals/version on 10.0.17763.2237, 10.0.20348.1547 and 10.0.26100.1742',
    statement:
      'The Host Networking Service of these patch levels is 9.5, 13.2 (which Windows Server 2022 came with) and 15.5.',
  },
  {
    id: 'event-channels',
    settledBy:
      'wevtutil el | findstr /i "Host-Network Hyper-V-Compute" before and after Install-WindowsFeature Containers; then k8s-win logs --bundle, and windows/events-*.ndjson in it',
    statement:
      'The event logs of HNS and of containers are called Microsoft-Windows-Host-Network-Service-Admin and -Operational, and Microsoft-Windows-Hyper-V-Compute-Admin and -Operational; EvtQuery, EvtNext and EvtRender give their entries as documented, which no Windows has been asked yet.',
  },
  {
    id: 'atomic-write-acl',
    settledBy: 'icacls before and after a file with entries of its own is replaced by a rename',
    statement: 'A file that is replaced by a rename has the access list of the new file, not of the old one.',
  },
  {
    id: 'security-as-set',
    settledBy: 'icacls <folder> /save after k8s-win setup, compared with O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)',
    statement: 'The owner and access list of a folder are read back as they were set.',
  },
  {
    id: 'connect-times',
    settledBy:
      'Measure-Command {Test-NetConnection 10.0.0.10 -Port 6443} with the port closed, and with packets dropped',
    statement: 'A connection that is refused fails after 2 s, one that nobody answers after 21 s.',
  },
  {
    id: 'firewall-rule-version',
    settledBy: String.raw`reg query HKLM\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\FirewallRules after netsh advfirewall firewall add rule`,
    statement:
      'A rule that netsh adds is stored as v2.29 with the fields Action, Active, Dir, Protocol, LPort, Name and Desc.',
  },
  {
    id: 'firewall-profile-events',
    settledBy:
      "Get-WinEvent -LogName 'Microsoft-Windows-Windows Firewall With Advanced Security/Firewall' -FilterXPath '*[System[EventID=2010]]' -MaxEvents 5 | % ToXml, compared with Get-NetConnectionProfile",
    statement:
      'The newest event 2010 of an adapter holds, as its fourth value, the profile that the firewall uses for it: 1 Domain, 2 Private, 4 Public.',
  },
  {
    id: 'vmcompute-with-containers',
    settledBy: 'dir C:\\Windows\\System32\\vmcompute.dll before and after Install-WindowsFeature Containers',
    statement: 'The library vmcompute.dll comes with the Windows feature Containers, and is missing without it.',
  },
  {
    id: 'docker-version-strings',
    settledBy: 'docker version --format json on Windows Server 2019',
    statement:
      'BuildTime, GitCommit and GoVersion of a Windows Docker Engine, and its text for a program that is not in the image, look like those of a Linux one.',
  },
  {
    id: 'tables-for-people',
    settledBy:
      'netsh interface ipv4 show neighbors and show subinterfaces, compared with those in the support bundle of a simulated host; dir C:\\Windows\\servicing\\Packages\\Package_for_*',
    statement:
      'The tables that netsh prints for people show what the simulated host has, in the layout of an English system; MAC addresses, MTUs, bytes, and the last two numbers of the versions of updates are made up. Nothing is decided from them.',
  },
  {
    id: 'lock-namespace',
    settledBy:
      'k8s-win setup in two elevated sessions of two accounts at once (the second ends with 11), and in a session without administrator rights (it ends with 3, and stops neither)',
    statement:
      'The private namespace of the lock, with the group Administrators as its boundary, is one for all sessions of the host; CreateMutexW clears the last error where it made a new mutex.',
  },
  {
    id: 'handle-outlives-list',
    settledBy:
      'As a user, open a folder of your own with WRITE_DAC and keep the handle; let an administrator take the folder with icacls /setowner and /inheritance:r; SetSecurityInfo through the handle',
    statement:
      'A handle to a folder that was opened with WRITE_DAC, WRITE_OWNER or DELETE keeps these rights when the access list changes; whether a file may be added is asked of the list each time.',
  },
]
