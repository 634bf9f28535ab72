/*
 * The client of Latchkey, see latchkey.h. This is the one file to compile; it includes its parts, from the ones that
 * need nothing to the ones that need all before them.
 */
#include "src/base.h"
#include "src/names.h"

#include "src/sha2.h"
#include "src/ed25519.h"

#include "src/json.h"
#include "src/time.h"
#include "src/base64.h"

#include "src/license-file.h"
#include "src/key-lists.h"

#include "src/clock.h"
#include "src/stored-state.h"

#ifdef _WIN32
#include "src/system-windows.h"
#else
#include "src/system-posix.h"
#endif
#include "src/folder.h"

#include "src/client.h"
#include "src/decide.h"
#include "src/record.h"
#include "src/answers.h"
#include "src/facts.h"
#include "src/schedule.h"
#include "src/file-renewal.h"
#include "src/session.h"
#include "src/metering.h"
#include "src/operations.h"
#include "src/options.h"
#include "src/api.h"
