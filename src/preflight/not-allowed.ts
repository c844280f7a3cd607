// What an identity may not read is not a problem of the node: it is not checked, with who can and how.
import {NODE_ACCESS_COMMAND} from '../components/node-access.js'
import {notChecked, type Finding} from './check.js'

/** From 1.32 on a node lists only itself, unless node-access is applied. */
export const nodesNotListed = (): Finding =>
  notChecked(`this identity is not allowed to list nodes; an administrator can allow it: ${NODE_ACCESS_COMMAND}`)
