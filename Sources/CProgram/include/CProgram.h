// Which build this is, such as 20261122.0814.980bfce: the day, time (UTC) and commit of its source. Empty where the
// package manifest was not given WAYMARK_BUILD, as in a build by hand.
const char *waymarkBuild(void);

// Has the program write a line to standard error before a signal ends it that a mistake of its own, or a watchdog,
// sends: the signal, and the calls that led there as addresses within the executable, which addr2line(1) turns into
// functions and lines.
void waymarkTellOfCrashes(void);
