// Every assumption of the simulator with what settles it. Those that may cut the host off come last.
import {connectTimes, dockerVersion} from './connections.js'
import {daemonFlags} from './daemon-flags.js'
import {eventChannels} from './event-logs.js'
import {failureActions, restartPending} from './failure-actions.js'
import {atomicWriteAcl, driveRootAccess, klogUser, securityAsSet, vmcomputeLibrary} from './files.js'
import {firewallProfileEvents, firewallRule} from './firewall.js'
import {hnsRefusals, hnsVersion, loadBalancerLists} from './hns.js'
import {dependencies, registryKey, serviceEnvironment} from './service-relations.js'
import {exitBeforeConnect, silentProcess} from './services.js'
import {forAPerson, type Settler} from './settler.js'
import {hnsNetworkInUse, hnsRestart, switchAdapterList, switchOffline, switchRemoved, switchShared} from './switch.js'

export const SETTLERS: Readonly<Record<string, Settler>> = {
  'atomic-write-acl': atomicWriteAcl,
  'azure-cse-runs-once': forAPerson('it takes a virtual machine of Azure'),
  'cloudbase-init-killed': forAPerson('it takes a virtual machine with cloudbase-init'),
  'connect-times': connectTimes,
  'containerd-older-major': forAPerson('it may cost the images and pods of a node'),
  'containers-pending': forAPerson('it takes a Windows Server without the feature, and a restart'),
  'containerd-stop-ends-pods': forAPerson('it ends the pods of a node'),
  'crictl-windows-image': forAPerson('it takes a node with containerd'),
  'ctr-windows-texts': forAPerson('texts of programs, read by people only'),
  'daemon-log-texts': forAPerson('texts of programs, read by people only'),
  'delete-by-handle': forAPerson('the suite "files" tries it'),
  'dism-feature': forAPerson('it may change the features of this Windows'),
  'docker-version-strings': dockerVersion,
  'drive-root-access': driveRootAccess,
  'event-channels': eventChannels,
  'firewall-profile-events': firewallProfileEvents,
  'firewall-rule-version': firewallRule,
  'flush-order': forAPerson('it takes a machine whose power can be cut off'),
  'handle-outlives-list': forAPerson('it takes a user beside the administrator'),
  'hns-load-balancer-lists': loadBalancerLists,
  'hns-version': hnsVersion,
  'klog-user': klogUser,
  'kubelet-flags-edges': daemonFlags,
  'launcher-names': forAPerson('it takes a virtual machine of each cloud'),
  'lock-namespace': forAPerson('it takes two accounts at once'),
  'log-runner-process': forAPerson('it takes a kubelet of 1.26 or newer'),
  'pod-curl-codes': forAPerson('it takes a node with pods'),
  'pods-inherit-only': forAPerson('it takes a node with pods'),
  'security-as-set': securityAsSet,
  'tables-for-people': forAPerson('texts of programs, read by people only'),
  'vmcompute-with-containers': vmcomputeLibrary,
  'restart-windows': forAPerson('it restarts Windows'),
  'scm-dependencies': dependencies,
  'scm-environment': serviceEnvironment,
  'scm-failure-actions': failureActions,
  'scm-restart-pending': restartPending,
  'shawl-stop-between': forAPerson('it is a matter of the moment'),
  'wrapped-daemons-end-in-time': forAPerson('it ends the pods of a node'),
  'scm-registry-key': registryKey,
  'scm-exit-before-connect': exitBeforeConnect,
  'scm-silent-process': silentProcess,
  'hns-refusals': hnsRefusals,
  'vswitch-adapter-list': switchAdapterList,
  'vswitch-offline': switchOffline,
  'vswitch-shared': switchShared,
  'hns-network-in-use': hnsNetworkInUse,
  'hns-restart': hnsRestart,
  'vswitch-removed': switchRemoved,
}
