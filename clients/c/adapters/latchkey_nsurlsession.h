/* Sends the client's requests by NSURLSession, with the certificates and the proxy of macOS. */
#ifndef LATCHKEY_NSURLSESSION_H
#define LATCHKEY_NSURLSESSION_H

#include "latchkey.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The transport for the options of a client. */
latchkey_transport latchkey_nsurlsession_transport(void);

#ifdef __cplusplus
}
#endif

#endif
