// Which build this is, such as 20261122.0814.980bfce: the day, time (UTC) and commit of its source. Empty where the
// package manifest was not given WAYMARK_BUILD, as in a build by hand.
const char *waymarkBuild(void);
